/** The scripts and the real `kolla-probe serve`. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHelper } from '../../support/helper.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { runShim, shims } from './support.ts';

const BINARY = { code: 3, stdout: 'binary as healthcheck_curl: <URL>', stderr: '' };

test('while it runs it answers; stopped, killed, or ended it leaves the question to the binary', async () => {
  await using folder = await shims('tells');
  const file = join(folder.path, 'run/probe');
  let asked = 0;
  await using api = await listenHttp((_request, response) => void response.writeHead(asked++ % 2 ? 503 : 200).end());
  const url = `http://127.0.0.1:${api.port}/`;
  const env = { KOLLA_PROBE_DOOR_FILE: file };
  const ask = async () => {
    const { code, stdout, stderr } = await runShim(folder.path, 'healthcheck_curl', [url], env);
    return { code, stdout: stdout.replace(url, 'URL'), stderr };
  };
  const serve = async () => {
    const server = await startHelper('kolla-probe', [
      'serve',
      '--allow-no-checks',
      '--listen',
      '127.0.0.1:0',
      '--door-file',
      file,
    ]);
    await until('the door file', () => Promise.resolve(existsSync(file) || undefined));
    return server;
  };
  {
    await using server = await serve();
    const healthy = await ask();
    assert.match(healthy.stdout, new RegExp(`^\\n200 127\\.0\\.0\\.1:${api.port} `));
    assert.deepEqual([healthy.code, healthy.stderr], [0, '']);
    const unhealthy = await until('the next answer', async () => {
      const answer = await ask();
      return answer.code === 1 ? answer : undefined;
    });
    assert.equal(unhealthy.stderr, 'curl: (22) The requested URL returned error: 503\n');
    process.kill(server.pid, 'SIGSTOP');
    assert.deepEqual(await ask(), BINARY, 'stopped');
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
    assert.ok(existsSync(file));
    assert.deepEqual(await ask(), BINARY, 'killed, with its file left behind');
  }
  const server = await serve();
  await until('its successor to answer', async () => ((await ask()).code === 3 ? undefined : true));
  await server.stop();
  assert.ok(!existsSync(file), 'ended in good order, it takes its file away');
  assert.deepEqual(await ask(), BINARY, 'ended');
});
