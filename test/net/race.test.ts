import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import { Race } from '../../src/net/dial/race.ts';
import { freePort } from '../../tools/port.ts';
import { listenTcp } from '../support/server.ts';
import { startSilentServer } from '../support/silent-server.ts';

/** Connections that neither open nor fail by themselves, and the addresses in the order of their attempts. */
function inert() {
  const tried: string[] = [];
  const sockets: Socket[] = [];
  const race = new Race((address) => {
    tried.push(address);
    const socket = new Socket();
    sockets.push(socket);
    return socket;
  });
  return { race, tried, sockets };
}

test('IPv6 and IPv4 addresses are tried in turn, one each 250 ms', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { race, tried } = inert();
  using _ = race;
  race.add(['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2', '192.0.2.1']);
  race.complete();
  assert.deepEqual(tried, ['2001:db8::1']);
  t.mock.timers.tick(249);
  assert.equal(tried.length, 1);
  t.mock.timers.tick(1);
  assert.deepEqual(tried, ['2001:db8::1', '192.0.2.1']);
  for (let i = 0; i < 9; i++) t.mock.timers.tick(250);
  assert.deepEqual(tried, ['2001:db8::1', '192.0.2.1', '2001:db8::2', '192.0.2.2', '192.0.2.3']);
});

test('IPv4 addresses wait 50 ms for IPv6 ones', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const early = inert();
  using first = early.race;
  first.add(['192.0.2.1']);
  t.mock.timers.tick(49);
  first.add(['2001:db8::1']);
  assert.deepEqual(early.tried, ['2001:db8::1']);
  const late = inert();
  using second = late.race;
  second.add(['192.0.2.1']);
  t.mock.timers.tick(50);
  assert.deepEqual(late.tried, ['192.0.2.1']);
  t.mock.timers.tick(250);
  // No attempt is due, but the race goes on.
  second.add(['2001:db8::1']);
  assert.deepEqual(late.tried, ['192.0.2.1', '2001:db8::1']);
});

test('addresses of one family do not wait for the other when the lookup is complete', () => {
  const { race, tried } = inert();
  using _ = race;
  race.add(['192.0.2.1']);
  race.complete();
  assert.deepEqual(tried, ['192.0.2.1']);
});

test('a failed address is followed by the next one at once', async (t) => {
  const port = await freePort();
  await using server = await listenTcp(() => {}, '127.0.0.2', port);
  using race = new Race((host) => connect({ host, port: server.port }));
  race.add(['127.0.0.1', '127.0.0.2']);
  race.complete();
  const socket = await race.winner;
  t.after(() => socket.destroy());
  assert.equal(socket.remoteAddress, '127.0.0.2');
});

test('if every address fails, all errors are reported, with the code of the first', async () => {
  const port = await freePort();
  using race = new Race((host) => connect({ host, port }));
  race.add(['127.0.0.1', '127.0.0.2']);
  race.complete();
  await assert.rejects(race.winner, (error: AggregateError & { code: string }) => {
    assert.deepEqual(
      error.errors.map(({ address }: { address: string }) => address),
      ['127.0.0.1', '127.0.0.2'],
    );
    return error.code === 'ECONNREFUSED';
  });
});

test('the error of a single address is the system error', async () => {
  const port = await freePort();
  using race = new Race((host) => connect({ host, port }));
  race.add(['127.0.0.1']);
  race.complete();
  await assert.rejects(race.winner, { code: 'ECONNREFUSED', address: '127.0.0.1', port });
});

test('a silent address does not stop the next one, and is closed when that one has won', async (t) => {
  await using silent = await startSilentServer();
  await using server = await listenTcp(() => {});
  const ports: Record<string, number> = { '127.0.0.1': silent.port, '::ffff:127.0.0.1': server.port };
  const opened: Socket[] = [];
  {
    using race = new Race((host) => {
      const socket = connect({ host, port: ports[host]! });
      opened.push(socket);
      return socket;
    });
    race.add(['127.0.0.1']);
    race.complete();
    race.add(['::ffff:127.0.0.1']);
    const socket = await race.winner;
    t.after(() => socket.destroy());
    assert.equal(socket.remotePort, server.port);
  }
  assert.equal(opened[0]?.destroyed, true);
});

test('a silent address wins when it answers after the others have failed', async (t) => {
  await using silent = await startSilentServer();
  const ports: Record<string, number> = { '127.0.0.1': silent.port, '127.0.0.2': await freePort() };
  using race = new Race((host) => {
    const socket = connect({ host, port: ports[host]! });
    // The kernel sends a dropped SYN again after a second.
    if (host === '127.0.0.2') socket.once('error', () => silent.answer());
    return socket;
  });
  race.add(['127.0.0.1', '127.0.0.2']);
  race.complete();
  const socket = await race.winner;
  t.after(() => socket.destroy());
  assert.equal(socket.remoteAddress, '127.0.0.1');
  socket.write('hello?');
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  assert.equal(greeting.toString(), 'hello');
});
