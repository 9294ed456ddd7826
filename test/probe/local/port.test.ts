import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { portQuestion, type PortQuery } from '../../../src/probe/local/port.ts';
import type { CheckResult } from '../../../src/probe/ask/verdict.ts';
import { freePort } from '../../../tools/port.ts';
import { listenTcp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { connects, listens, NEVER_ACCEPTS, startService, tries } from './service.ts';

/** A name that no other process on this machine has. */
const name = (what: string) => `kp-${what}-${process.pid}`;

async function ask(kind: 'connected' | 'listen', query: PortQuery): Promise<CheckResult> {
  return await portQuestion(query, kind, 'asked').ask(new AbortController().signal);
}

function reasonOf(verdict: CheckResult): string {
  assert.ok(!verdict.healthy, 'it is healthy');
  return verdict.reason;
}

for (const host of ['127.0.0.1', '::1']) {
  test(`a process with an established connection over ${host} is healthy, with its peer`, async () => {
    await using server = await listenTcp(() => {}, host);
    const agent = name('agent');
    await using service = await startService(agent, connects(server.port, host));
    assert.deepEqual(await ask('connected', { process: { name: agent }, ports: [server.port] }), {
      healthy: true,
      detail: `${agent} (pid ${service.pid}): ESTABLISHED to ${host === '::1' ? '[::1]' : host}:${server.port}`,
    });
  });
}

test('one of several ports is enough', async () => {
  await using server = await listenTcp(() => {});
  await using _ = await startService(name('several'), connects(server.port));
  const query = { process: { name: name('several') }, ports: [await freePort(), server.port] };
  assert.equal((await ask('connected', query)).healthy, true);
});

test('with a minimum, fewer connections of the process are not enough, and others do not count', async () => {
  await using server = await listenTcp(() => {});
  const process = { name: name('minimum') };
  await using service = await startService(process.name, connects(server.port, '127.0.0.1', 2));
  await using _ = await startService(name('more'), connects(server.port));
  const ports = [server.port];
  assert.equal((await ask('connected', { process, ports, atLeast: 2 })).healthy, true);
  assert.match(
    reasonOf(await ask('connected', { process, ports, atLeast: 3 })),
    new RegExp(
      `^${process.name} \\(pid ${service.pid}\\) has 2 of 3 connections to port ${server.port}; seen: ESTABLISHED`,
    ),
  );
  assert.equal((await ask('connected', { process: undefined, ports, atLeast: 3 })).healthy, true);
  assert.match(
    reasonOf(await ask('connected', { process: undefined, ports, atLeast: 4 })),
    new RegExp(`^3 of 4 connections to port ${server.port}; seen: `),
  );
});

test('a port with the same prefix is another port', async () => {
  // Ports like 567 and 5672.
  await using server = await listenTcp(() => {});
  const shorter = Math.floor(server.port / 10);
  await using service = await startService(name('prefix'), connects(server.port));
  const verdict = await ask('connected', { process: { name: name('prefix') }, ports: [shorter] });
  assert.equal(
    reasonOf(verdict),
    `${name('prefix')} (pid ${service.pid}) has no established connection to port ${shorter}`,
  );
});

test('a connection that is still being opened does not count', async () => {
  await using silent = await startService(name('silent'), NEVER_ACCEPTS);
  const port = Number(silent.said);
  await using _ = await full(port);
  await using service = await startService(name('synsent'), tries(port));
  const verdict = await ask('connected', { process: { name: name('synsent') }, ports: [port] });
  assert.equal(
    reasonOf(verdict),
    `${name('synsent')} (pid ${service.pid}) has no established connection to port ${port}; seen: SYN-SENT to 127.0.0.1:${port}`,
  );
});

/** Opens connections until the backlog is full and one of them gets no response. */
async function full(port: number): Promise<AsyncDisposable> {
  const sockets: Socket[] = [];
  for (let isFull = false; !isFull && sockets.length < 10;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), sleep(300, true)]);
  }
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(
        sockets.map(async (socket) => {
          const closed = once(socket, 'close');
          socket.destroy();
          await closed;
        }),
      );
    },
  };
}

test('a connection closed by the peer does not count', async () => {
  const peers: Socket[] = [];
  await using server = await listenTcp((socket) => peers.push(socket));
  await using service = await startService(name('closewait'), connects(server.port));
  peers[0]?.end();
  const query = { process: { name: name('closewait') }, ports: [server.port] };
  const reason = await until('the connection to be half closed', async () => {
    const verdict = await ask('connected', query);
    return verdict.healthy ? undefined : verdict.reason;
  });
  assert.equal(
    reason,
    `${name('closewait')} (pid ${service.pid}) has no established connection to port ${server.port}; ` +
      `seen: CLOSE-WAIT to 127.0.0.1:${server.port}`,
  );
});

test("another process's connection does not count", async () => {
  await using server = await listenTcp(() => {});
  await using _ = await startService(name('other'), connects(server.port));
  await using service = await startService(name('idle'), "say('up'); setInterval(() => {}, 1000);");
  const verdict = await ask('connected', { process: { name: name('idle') }, ports: [server.port] });
  assert.equal(
    reasonOf(verdict),
    `${name('idle')} (pid ${service.pid}) has no established connection to port ${server.port}`,
  );
  const unknown = await ask('connected', { process: { name: name('nobody') }, ports: [server.port] });
  assert.equal(
    reasonOf(unknown),
    `no process named ${name('nobody')}; the sockets to port ${server.port} belong to other processes`,
  );
  assert.equal((await ask('connected', { process: undefined, ports: [server.port] })).healthy, true);
});

test('a port on which another process listens: its name', async () => {
  await using other = await startService(name('httpd'), listens());
  const port = Number(other.said);
  await using idle = await startService(name('idle'), "say('up'); setInterval(() => {}, 1000);");
  const asked = async (wanted: string) => reasonOf(await ask('listen', { process: { name: wanted }, ports: [port] }));
  assert.equal(
    await asked(name('idle')),
    `${name('idle')} (pid ${idle.pid}) does not listen on port ${port}, but ${name('httpd')} (pid ${other.pid}) does`,
  );
  assert.equal(
    await asked(name('nobody')),
    `no process named ${name('nobody')}; ${name('httpd')} (pid ${other.pid}) listens on port ${port}`,
  );
});

/** A free port to which no connection of an earlier process is still in TIME-WAIT. */
async function unusedPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
    const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8')));
    if (!tables.some((text) => text.includes(remote))) return port;
  }
}

test('the message says if no process at all has a connection to the port', async () => {
  const port = await unusedPort();
  const reason = reasonOf(await ask('connected', { process: undefined, ports: [port] }));
  assert.equal(reason, `no connections to port ${port}`);
  const named = await ask('connected', { process: { name: name('nobody') }, ports: [port] });
  assert.equal(reasonOf(named), `no process named ${name('nobody')}; no connections to port ${port}`);
});

test('spaces around a name are ignored, as kolla-ansible passes them', async () => {
  await using server = await listenTcp(() => {});
  await using _ = await startService(name('l3-agent'), connects(server.port));
  const query = { process: { name: ` ${name('l3-agent')} ` }, ports: [server.port] };
  assert.equal((await ask('connected', query)).healthy, true);
});

test('listening on a port is not a connection to it', async () => {
  await using service = await startService(name('listener'), listens());
  const port = Number(service.said);
  assert.equal((await ask('connected', { process: undefined, ports: [port] })).healthy, false);
  assert.equal((await ask('listen', { process: { name: name('listener') }, ports: [port] })).healthy, true);
});

for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0']) {
  test(`a process that listens on ${host} counts`, async () => {
    await using service = await startService(name('server'), listens(host));
    const port = Number(service.said);
    const verdict = await ask('listen', { process: { name: name('server') }, ports: [port] });
    const place = { '127.0.0.1': '127.0.0.1', '::1': '[::1]', '::': '*', '0.0.0.0': '*' }[host];
    assert.deepEqual(verdict, {
      healthy: true,
      detail: `${name('server')} (pid ${service.pid}): tcp ${place}:${port}`,
    });
  });
}

test('a process that listens elsewhere is reported with its addresses', async () => {
  await using service = await startService(name('elsewhere'), listens());
  const port = await freePort();
  const verdict = await ask('listen', { process: { name: name('elsewhere') }, ports: [port] });
  assert.equal(
    reasonOf(verdict),
    `${name('elsewhere')} (pid ${service.pid}) does not listen on port ${port}; seen: tcp 127.0.0.1:${service.said}`,
  );
});

const udp = (more = '') => `const socket = require('node:dgram').createSocket('udp4');
socket.bind(0, '127.0.0.1', () => { ${more === '' ? 'say(String(socket.address().port));' : more} });`;

test('a bound UDP socket listens, and is distinguished from TCP', async () => {
  await using service = await startService(name('dns'), udp());
  const port = Number(service.said);
  const asked = { process: { name: name('dns') }, ports: [port] };
  const verdict = await ask('listen', asked);
  assert.deepEqual(verdict, { healthy: true, detail: `${name('dns')} (pid ${service.pid}): udp 127.0.0.1:${port}` });
  assert.equal((await ask('listen', { ...asked, protocols: ['udp'] })).healthy, true);
  assert.equal((await ask('listen', { ...asked, protocols: ['tcp'] })).healthy, false);
});

test('a connected UDP socket does not count as listening', async () => {
  const script = udp("socket.connect(9, '127.0.0.1', () => say(String(socket.address().port)));");
  await using service = await startService(name('resolver'), script);
  // Of this process alone: another one may listen on the same port of TCP.
  const question = { process: { name: name('resolver') }, ports: [Number(service.said)] };
  assert.equal((await ask('listen', question)).healthy, false);
});

test('many sockets delay neither the result nor other work', async () => {
  await using server = await listenTcp(() => {});
  const count = 1500;
  await using _ = await startService(
    name('crowd'),
    `const net = require('node:net'); let open = 0;
for (let i = 0; i < ${count}; i++) net.connect(${server.port}, '127.0.0.1', () => { if (++open === ${count}) say('up'); });`,
  );
  await using service = await startService(name('last'), "say('up'); setInterval(() => {}, 1000);");
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  const verdict = await ask('connected', { process: { name: name('last') }, ports: [server.port] });
  clearInterval(ticking);
  assert.match(reasonOf(verdict), new RegExp(`\\(pid ${service.pid}\\) has no established connection`));
  assert.ok(turns > 0, 'other work was blocked');
  const aborted = new AbortController();
  const asked = portQuestion({ process: undefined, ports: [1] }, 'connected', 'asked').ask(aborted.signal);
  aborted.abort(new Error('too late'));
  await assert.rejects(asked, /too late/);
});

test('after the process with the connection exits, another process of its name counts', async () => {
  await using server = await listenTcp(() => {});
  const agent = name('workers');
  const question = portQuestion({ process: { name: agent }, ports: [server.port] }, 'connected', 'asked');
  const asked = async () => await question.ask(new AbortController().signal);
  await using first = await startService(agent, connects(server.port));
  for (let i = 0; i < 2; i++) assert.match(JSON.stringify(await asked()), new RegExp(String.raw`pid ${first.pid}\b`));
  {
    await using second = await startService(agent, connects(server.port));
    await first.running.stop();
    for (let i = 0; i < 2; i++)
      assert.match(JSON.stringify(await asked()), new RegExp(String.raw`"healthy":true.*pid ${second.pid}\b`));
  }
  assert.match(reasonOf(await asked()), /^no process named/);
});
