import assert from 'node:assert/strict';
import { hostname, networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { logLines, runHelper } from '../../support/helper.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';

test('a listening port is healthy, silently', async () => {
  await using server = await listenTcp((socket) => socket.destroy());
  assert.deepEqual(await runHelper('kolla-probe', ['tcp', `127.0.0.1:${server.port}`]), {
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('a port without a listener is unhealthy, with the reason', async () => {
  const { code, stderr } = await runHelper('kolla-probe', ['tcp', `127.0.0.1:${await freePort()}`]);
  assert.equal(code, 1);
  assert.match(logLines(stderr)[0]?.msg ?? '', /ECONNREFUSED/);
});

test('IPv6 addresses are written in brackets', async () => {
  await using server = await listenTcp((socket) => socket.destroy(), '::1');
  assert.equal((await runHelper('kolla-probe', ['tcp', `[::1]:${server.port}`])).code, 0);
});

test('an address without a port is a usage error that names it', async () => {
  const { code, stderr } = await runHelper('kolla-probe', ['tcp', 'mariadb']);
  assert.equal(code, 64);
  assert.match(logLines(stderr)[0]?.msg ?? '', /'mariadb' is not HOST:PORT/);
});

test("a liveness probe may check each of the machine's own addresses, and no other", async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  const asked = async (host: string) => {
    const target = host.includes(':') ? `[${host}]:1` : `${host}:1`;
    return (await runHelper('kolla-probe', ['tcp', target, '--role', 'liveness', '--timeout', '100ms'])).code;
  };
  assert.ok(addresses.length > 0);
  for (const host of ['localhost', hostname(), ...addresses]) assert.equal(await asked(host), 1, host);
  assert.equal(await asked('203.0.113.1'), 64);
});
