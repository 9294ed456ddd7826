import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedElasticsearch, sharedMariadb } from '../servers/index.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';

const skip = (await canRunMariadb()) ?? (await canRunElasticsearch()) ?? false;
const PASSWORD = 'hidden-password';

describe('kolla-probe', { skip }, () => {
  const stack = new AsyncDisposableStack();
  const user = databaseName('probe');
  /** Healthy checks: three of servers, two of this machine's processes and files. */
  let good: string[][];

  before(async () => {
    const mariadb = stack.use(await sharedMariadb());
    const elasticsearch = stack.use(await sharedElasticsearch());
    const directory = stack.use(await privateDirectory('probe')).path;
    await mariadb.query(`CREATE USER ${user}@'%' IDENTIFIED BY '${PASSWORD}'`);
    await writeFile(join(directory, 'fresh'), '');
    good = [
      ['tcp', `${mariadb.host}:${mariadb.port}`],
      ['http', `${elasticsearch.url}/_cluster/health`],
      ['mysql', `${mariadb.host}:${mariadb.port}`, '--user', user],
      ['process', 'mariadbd'],
      ['file-age', join(directory, 'fresh'), '1h'],
    ];
  });
  after(() => stack.disposeAsync());

  test('a healthy check exits with code 0 silently, an unhealthy one with 1 and the reason', async () => {
    const ask = async (words: readonly string[], password = PASSWORD) => {
      const { code, stdout, stderr } = await runHelper('kolla-probe', words, {
        env: { KOLLA_PROBE_PASSWORD: password },
      });
      return { code, said: stdout + (logLines(stderr).at(-1)?.msg ?? stderr) };
    };
    for (const words of good) assert.deepEqual(await ask(words), { code: 0, said: '' }, words.join(' '));
    const refused = await ask(good[2]!, 'another');
    assert.equal(refused.code, 1);
    assert.match(refused.said, /it rejects the login of/);
  });

  test('serve answers the three probes from its checks, and is not ready during shutdown', async () => {
    await using directory = await privateDirectory('serve');
    const config = join(directory.path, 'kolla-pod.yaml');
    const all = ['startup', 'liveness', 'readiness'];
    const checks = good.map((run) => [run[0], { run, for: all, period: '1s' }] as const);
    const absent = { run: ['file-age', join(directory.path, 'absent'), '1h'], for: ['readiness'], period: '1s' };
    await writeFile(config, JSON.stringify({ checks: { ...Object.fromEntries(checks), absent } }));
    const args = ['serve', '--config', config, '--listen', '127.0.0.1:0'];
    const env = { KOLLA_PROBE_PASSWORD: PASSWORD };
    await using serve = await startHelper('kolla-probe', args, { env, keepOutput: true });
    let said = '';
    serve.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [, at] = await until('it to listen', async () => /are answered on ([^ "]+:\d+)/.exec(said) ?? undefined);
    const get = async (path: string) => {
      const response = await fetch(`http://${at}${path}`);
      return `${response.status} ${(await response.text()).trim()}`;
    };
    const answers = (path: string, wanted: string) =>
      until(`${path} to answer ${wanted}: ${said}`, async () => (await get(path)) === wanted || undefined);
    await answers('/startupz', '200 ok');
    await answers('/livez', '200 ok');
    await answers('/readyz', '503 unhealthy');
    await writeFile(join(directory.path, 'absent'), '');
    await answers('/readyz', '200 ok');
    for (const [name] of checks) assert.match(await get(`/checks/${name}`), /^200 /, name);
    assert.equal(await serve.stop(), 143);
    assert.ok(!said.includes(PASSWORD));
  });
});
