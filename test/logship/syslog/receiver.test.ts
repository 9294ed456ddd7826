import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { syslogAddress } from '../../../src/logship/settings.ts';
import { openSyslog } from '../../../src/logship/syslog/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { until } from '../../support/until.ts';
import { log } from '../said.ts';

async function world(said: string[] = []) {
  const directory = await privateDirectory('syslog');
  const options = {
    at: { host: '127.0.0.1', port: 0 },
    root: directory.path,
    zone: zoneTableNamed('UTC'),
    mayRotate: () => true,
    log: log(said),
    now: () => Date.parse('2026-11-21T17:42:05.250Z'),
    signal: new AbortController().signal,
  };
  const socket = createSocket('udp4');
  const sendTo = promisify(socket.send.bind(socket) as (m: string, p: number, h: string, d: () => void) => void);
  return {
    options,
    send: (text: string, port: number) => sendTo(text, port, '127.0.0.1'),
    haproxy: () => readFileSync(join(directory.path, 'haproxy/haproxy.log'), 'utf8').split('\n').slice(0, -1),
    async [Symbol.asyncDispose]() {
      socket.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('datagrams become lines of a file, in order', async () => {
  await using w = await world();
  await using syslog = await openSyslog(w.options);
  for (let n = 0; n < 100; n++) await w.send(`<142>haproxy[12]: line ${n}`, syslog.port);
  const lines = await until('all lines', () => Promise.resolve(syslog.received() === 100 ? w.haproxy() : undefined));
  assert.deepEqual(
    lines,
    Array.from({ length: 100 }, (_, n) => `<142>1 2026-11-21T17:42:05.250Z - haproxy 12 - - line ${n}`),
  );
  assert.equal(syslog.dropped(), 0);
});

test('the largest datagram is one line', async () => {
  await using w = await world();
  const syslog = await openSyslog(w.options);
  await w.send(`<142>haproxy[12]: ${'x'.repeat(65_000)}`, syslog.port);
  await syslog[Symbol.asyncDispose]();
  assert.equal(w.haproxy()[0]?.length, 65_000 + '<142>1 2026-11-21T17:42:05.250Z - haproxy 12 - - '.length);
});

test('an implausible time is replaced by the time of arrival', async () => {
  await using w = await world();
  const syslog = await openSyslog(w.options);
  const told = [
    '+275760-09-13T00:00:00Z',
    '2026-11-22T17:42:06Z',
    '2026-11-22T12:00:00Z',
    '2026-11-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
  ];
  for (const time of told) await w.send(`<142>1 ${time} h haproxy - - - x`, syslog.port);
  await syslog[Symbol.asyncDispose]();
  const [arrived, tomorrow, before] = [
    '2026-11-21T17:42:05.250Z',
    '2026-11-22T12:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
  ];
  assert.deepEqual(
    w.haproxy().map((line) => line.split(' ')[1]),
    [arrived, arrived, tomorrow, before, arrived],
  );
});

test('datagrams sent before shutdown are in the file after it', async () => {
  await using w = await world();
  const syslog = await openSyslog(w.options);
  for (let n = 0; n < 50; n++) await w.send(`<142>haproxy[12]: line ${n}`, syslog.port);
  await syslog[Symbol.asyncDispose]();
  assert.equal(w.haproxy().length, 50);
});

test('datagrams dropped by the kernel are counted and logged', async () => {
  const said: string[] = [];
  await using w = await world(said);
  const syslog = await openSyslog(w.options);
  const socket = createSocket('udp4');
  // During this loop nothing is received.
  const large = Buffer.alloc(60_000, 'x');
  for (let n = 0; n < 400; n++) socket.send(large, syslog.port, '127.0.0.1');
  // Each is received or counted as dropped: the count may rise while received ones are still being read.
  const dropped = await until('400 datagrams to be received or dropped', (saw) => {
    const [lost, received] = [syslog.dropped() ?? 0, syslog.received()];
    saw([lost, received]);
    return lost + received === 400 ? lost : undefined;
  });
  await syslog[Symbol.asyncDispose]();
  socket.close();
  assert.ok(dropped > 0);
  assert.match(said.at(-1) ?? '', /the kernel dropped \d+ syslog datagrams/);
});

test('an address in use is a configuration error with the fix', async () => {
  await using w = await world();
  await using first = await openSyslog(w.options);
  const at = { host: '127.0.0.1', port: first.port };
  await assert.rejects(openSyslog({ ...w.options, at }), /EADDRINUSE.*another process of this Pod/);
  await assert.rejects(openSyslog({ ...w.options, at: { host: '192.0.2.1', port: 0 } }), /give one of this pod's/);
});

test('the default address is loopback', () => {
  assert.deepEqual(syslogAddress('udp://:5140'), { host: '127.0.0.1', port: 5140 });
  assert.deepEqual(syslogAddress('udp://0.0.0.0:5140'), { host: '0.0.0.0', port: 5140 });
  assert.deepEqual(syslogAddress('udp://[::1]:5140'), { host: '::1', port: 5140 });
});

for (const wrong of ['tcp://127.0.0.1:5140', 'udp://', 'udp://127.0.0.1', '127.0.0.1:5140', 'udp://127.0.0.1:5140/x']) {
  test(`${wrong} is a usage error`, () => assert.throws(() => syslogAddress(wrong), /--syslog/));
}

test('a Unix socket is rejected with the alternative', () => {
  assert.throws(() => syslogAddress('unix:///dev/log'), /no Unix datagram sockets.*udp:\/\//);
});
