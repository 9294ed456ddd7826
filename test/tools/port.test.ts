import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { must } from '../../tools/process.ts';
import { freePort, freePorts } from '../../tools/port.ts';

test('concurrently requested ports differ, and none is ephemeral', async () => {
  const ports = (await Promise.all([freePorts(10), freePorts(10), freePort()])).flat();
  assert.equal(new Set(ports).size, 21);
  for (const port of ports) assert.ok(port >= 1024 && port < 32_768, String(port));
});

test('a port in use is skipped', async () => {
  const [first = 0] = await freePorts(1);
  await using server = createServer().listen(first + 1, '127.0.0.1');
  await once(server, 'listening');
  assert.notEqual(await freePort(), first + 1);
});

test('a port with a connection in TIME-WAIT is skipped', async () => {
  const port = (await freePort()) + 1;
  const server = createServer({ allowHalfOpen: true }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [ReturnType<typeof connect>];
  // The client ends first, so its side is what the kernel keeps.
  client.end();
  socket.resume().once('end', () => socket.end());
  await once(client.resume(), 'close');
  server.close();
  await once(server, 'close');
  assert.notEqual(await freePort(), port);
});

test('concurrent processes get different ports', async () => {
  const own = await freePorts(20);
  const program = `
    import { freePorts } from ${JSON.stringify(import.meta.resolve('../../tools/port.ts'))};
    console.log(JSON.stringify(await freePorts(20)));`;
  const asked = Array.from({ length: 3 }, () => must(process.execPath, ['--input-type=module', '--eval', program]));
  const others = (await Promise.all(asked)).map((text) => JSON.parse(text) as number[]);
  for (const ports of others)
    assert.deepEqual(
      own.filter((port) => ports.includes(port)),
      [],
    );
});
