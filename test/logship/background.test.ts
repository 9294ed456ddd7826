import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { allCreated } from '../support/bulk-reply.ts';

const MB = 1024 * 1024;

/** A log root, and the helper that runs on it. */
async function world() {
  const directory = await privateDirectory('background', inMemory());
  const file = join(directory.path, 'nova/nova-api.log');
  await mkdir(join(directory.path, 'nova'));
  await writeFile(file, '2026-11-20 08:15:42.123 7 INFO nova [-] up\n');
  const root = ['--root', directory.path, '--timezone', 'UTC'];
  const start = (...args: string[]) => startHelper('kolla-log-ship', [...root, ...args], { keepOutput: true });
  const once = (...args: string[]) => runHelper('kolla-log-ship', ['--once', ...root, ...args]);
  return { file, root: directory.path, start, once, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

async function send(port: number, ...datagrams: string[]): Promise<void> {
  const socket = createSocket('udp4');
  const one = promisify(socket.send.bind(socket) as (m: string, p: number, h: string, d: () => void) => void);
  for (const datagram of datagrams) await one(datagram, port, '127.0.0.1');
  socket.close();
}

/** The response, as soon as it matches. */
async function answer(port: number, path: string, wanted: RegExp): Promise<string> {
  return await until(`${path} to be ${String(wanted)}`, async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    const body = await response?.text();
    return body !== undefined && wanted.test(body) ? body : undefined;
  });
}

test('syslog received just before shutdown is shipped, and counted in /metrics', async () => {
  await using w = await world();
  const [syslog, port] = [await freePort(), await freePort()];
  await using shipper = await w.start('--syslog', `udp://:${syslog}`, '--listen', `127.0.0.1:${port}`);
  const [out, said] = [text(shipper.child.stdout!), text(shipper.child.stderr!)];
  await answer(port, '/readyz', /^ok/);
  await send(syslog, '<142>haproxy[12]: first');
  const metrics = await answer(port, '/metrics', /^kolla_log_ship_syslog_received_total 1$/m);
  for (const own of [/^kolla_pod_info\{version=/m, /^process_resident_memory_bytes \d+$/m]) assert.match(metrics, own);
  await send(syslog, '<142>haproxy[12]: last', '<142>keepalived[3]: other');
  shipper.child.kill('SIGTERM');
  assert.equal(await shipper.ended, 0, await said);
  assert.match(await out, /"Payload":"first"[^]*"Payload":"last"/);
  assert.match(await out, /"programname":"keepalived"/);
});

test('a rejecting server makes the shipper unready, with the reason within the Pod, until it accepts documents again', async () => {
  await using w = await world();
  let isOpen = false;
  await using server = await listenHttp((request, response) => {
    response.statusCode = isOpen ? 200 : 403;
    const refusal = '{"error":{"type":"security_exception","reason":"no create"}}';
    void text(request).then((body) => response.end(isOpen ? allCreated(body) : refusal));
  });
  const port = await freePort();
  await using shipper = await w.start('--url', `http://127.0.0.1:${server.port}`, '--listen', `127.0.0.1:${port}`);
  shipper.child.stdout?.resume();
  shipper.child.stderr?.resume();
  const reason = await answer(port, '/readyz?verbose', /^\[-\]/);
  assert.match(reason, /does not accept writes: .*403.*43 bytes are not acknowledged/);
  assert.match(await answer(port, '/metrics', /./), /^kolla_log_ship_outage\{[^}]*\} 1$/m);
  assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
  isOpen = true;
  await answer(port, '/readyz', /^ok/);
  const metrics = await answer(port, '/metrics', /^kolla_log_ship_acknowledged_total\{[^}]*\} 1$/m);
  assert.match(metrics, /^kolla_log_ship_dropped_total\{[^}]*\} 0$/m);
  assert.match(metrics, /^kolla_log_ship_requests_total\{[^}]*\} [2-9]\d*$/m);
});

test('the disk space of acknowledged lines is reclaimed, and a second start resumes', async () => {
  await using w = await world();
  await appendFile(w.file, `${'x'.repeat(1023)}\n`.repeat(4 * 1024));
  const first = await w.once('--reclaim', 'on', '--reclaim-keep', String(MB));
  assert.equal(first.code, 0, first.stderr);
  const { size, blocks } = await stat(w.file);
  assert.equal(size, 4 * MB + 43);
  assert.ok(blocks * 512 < 2 * MB, `${blocks} blocks`);
  await appendFile(w.file, 'new\n');
  const second = await w.once('--reclaim', 'on');
  assert.deepEqual(
    second.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { Payload: string }).Payload),
    ['new'],
  );
});

for (const [what, args, message] of [
  ['--syslog with --once', ['--once', '--syslog', 'udp://127.0.0.1:5140'], /--syslog and --once/],
  ['a Unix socket for syslog', ['--syslog', 'unix:///dev/log'], /no Unix datagram sockets/],
  ['an invalid --listen address', ['--listen', 'x'], /--listen: 'x'/],
  ['a --reclaim-keep below the minimum', ['--reclaim-keep', '1'], /--reclaim-keep 1: at least 4096/],
] as const) {
  test(`${what} is a usage error`, async () => {
    const { code, stderr } = await runHelper('kolla-log-ship', [...args, '--root', '/nowhere']);
    assert.equal(code, 64);
    assert.match(logLines(stderr)[0]?.msg ?? '', message);
  });
}

test('with --once and --listen ships existing lines and exits', async () => {
  await using w = await world();
  const { code, stderr, stdout } = await w.once('--listen', '127.0.0.1:0');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /answered on 127\.0\.0\.1:\d+/);
  assert.match(stdout, /"Payload":"\[-\] up"/);
});

test('a port in use is a configuration error before anything is shipped', async () => {
  await using w = await world();
  await using taken = await listenHttp((_, response) => void response.end());
  const { code, stderr, stdout } = await w.once('--listen', `127.0.0.1:${taken.port}`);
  assert.equal(code, 65);
  assert.match(stderr, /EADDRINUSE.*give another one/);
  assert.equal(stdout, '');
});

test('a look with --once reclaims nothing that another shipper has yet to read', async () => {
  await using w = await world();
  const line = '2026-11-20 08:15:42.123 7 INFO nova [-] '.padEnd(1023, '.') + '\n';
  await appendFile(w.file, line.repeat((3 * MB) / 1024));
  const { size } = await stat(w.file);
  const { code, stdout } = await w.once('--to', 'stdout', '--state', join(w.root, 'look'), '--reclaim-keep', '4096');
  assert.equal(code, 0);
  assert.ok(stdout.length > size);
  assert.ok((await stat(w.file)).blocks * 512 >= size);
});
