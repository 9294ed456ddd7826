/** kolla-probe serve as users run it: a process with a kolla-pod.yaml. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { logLines, runHelper } from '../../support/helper.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { get, started } from './serve-support.ts';

test('a service that stops and starts is one line each, with the reason and duration', async () => {
  let code = 200;
  await using service = await listenHttp((_, response) => void response.writeHead(code).end());
  const run = `http http://127.0.0.1:${service.port}/`;
  // The timeout is not tested here, and a busy machine must not reach it.
  await using serve = await started(`checks: { api: { run: "${run}", period: 2s, timeout: 2s, failures: 2 } }\n`);
  const answers = (wanted: number) =>
    until(`/readyz to answer ${wanted}`, async () => (await get(serve.port, '/readyz')).status === wanted || undefined);
  await answers(200);
  code = 503;
  await answers(503);
  code = 200;
  await answers(200);
  await serve.saying(/it had been unhealthy for/);
  const lines = logLines(serve.said()).filter(({ check }) => check === 'api');
  assert.deepEqual(
    lines.map(
      ({ level, msg }) => `${level} ${msg.replaceAll(/\d+m?s|\d+\.\ds/g, 'N').replace(String(service.port), 'PORT')}`,
    ),
    [
      'info api is healthy: status 200; the first verdict, after N',
      'warn api is unhealthy: status 503; it had been healthy for N; asked: http http://127.0.0.1:PORT/',
      'info api is healthy: status 200; it had been unhealthy for N',
    ],
  );
  assert.equal(typeof lines[1]?.['lasted_ms'], 'number');
});

test('on SIGTERM /readyz is 503 at once, and /livez is served to the end', async () => {
  await using serve = await started('checks: {}\n', '--allow-no-checks');
  assert.equal((await get(serve.port, '/readyz')).status, 200);
  process.kill(serve.pid, 'SIGTERM');
  await until('503', async () => (await get(serve.port, '/readyz')).body === 'ending\n' || undefined);
  assert.equal((await get(serve.port, '/livez')).status, 200);
  assert.equal(await serve.ended, 143);
});

test('without checks the server starts only if allowed, and logs that nothing is checked', async () => {
  await using flag = await started('log-level: info\n', '--allow-no-checks');
  await flag.saying(/kolla-pod\.yaml: no checks: every probe returns 200/);
  await using key = await started('probe: { serve: { allow-no-checks: true } }\n');
  assert.equal((await get(key.port, '/readyz')).status, 200);
});

for (const [what, yaml, args, code, message] of [
  ['a wrong section', 'checks: { api: { runn: tcp } }', [], 65, /checks\.api\.runn: no such key; did you mean 'run'\?/],
  ['a wrong check', 'checks: { api: { run: "tpc a:1" } }', [], 65, /checks\.api: no check 'tpc'; did you mean 'tcp'\?/],
  [
    'no section',
    'log-level: info',
    [],
    65,
    /kolla-pod\.yaml: no checks: .*add some under checks:, or set --allow-no-checks/,
  ],
  ['an empty section', 'checks: {}', [], 65, /kolla-pod\.yaml: no checks: /],
  ['a wrong address', '', ['--listen', 'here'], 64, /--listen: 'here' is not PORT or ADDRESS:PORT/],
  [
    'a non-local address',
    '',
    ['--allow-no-checks', '--listen', '192.0.2.1:80'],
    65,
    /cannot listen on 192\.0\.2\.1:80/,
  ],
] as const) {
  test(`${what} exits with code ${code} before any check`, async () => {
    await using directory = await privateDirectory('serve');
    const file = join(directory.path, 'kolla-pod.yaml');
    await writeFile(file, `${yaml}\n`);
    const signal = new AbortController().signal;
    const { code: got, stderr } = await runHelper('kolla-probe', ['serve', '--config', file, ...args], { signal });
    assert.equal(got, code, stderr);
    assert.match(stderr, message);
  });
}
