import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunElasticsearch, startElasticsearch } from '../cluster/elasticsearch.ts';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { fileLimit } from '../support/file-limit.ts';
import { processesWith } from '../support/left-over.ts';
import { run, start } from '../../tools/process.ts';
import { until } from '../support/until.ts';

fileLimit(20);

const skip = (await canRunMariadb()) ?? (await canRunKeystone()) ?? false;
const DEMO = ['--silent', '--no-print-directory', 'demo'];

test('make demo runs all steps and leaves only its picture', { skip }, async () => {
  const { code, stdout } = await run('make', DEMO);
  assert.equal(code, 0, stdout);
  // The second form if it asked between the first one's lock and its row, and the migration ended within 10 s.
  assert.match(stdout, /waiting: (.* has been migrating .*token 1|another migrator has just taken the lock)/);
  assert.match(stdout, /nothing to do: .* has finished it meanwhile/);
  assert.match(stdout, /kolla-probe +unhealthy: .*\n(.*\n)*.*kolla-probe +healthy/);
  assert.match(stdout, /answers 201/);
  const [, written, shipped] = /wrote (\d+) lines; (\d+) documents/.exec(stdout) ?? [];
  assert.ok(Number(written) > 0);
  assert.equal(shipped, written);
  assert.match(readFileSync('dist/demo-timeline.svg', 'utf8'), /<\/svg>/);
});

test('make demo uses the servers that the environment names, and leaves nothing in them', { skip }, async () => {
  await using mariadb = await startMariadb();
  const [url, login] = [`127.0.0.1:${mariadb.port}`, `root:${mariadb.rootPassword}`];
  await using elasticsearch = (await canRunElasticsearch()) === undefined ? await startElasticsearch() : undefined;
  const look = async () => [
    await mariadb.query('SELECT schema_name FROM information_schema.schemata'),
    await mariadb.query('SELECT user, host FROM mysql.user'),
    (await elasticsearch?.request('GET', '/_resolve/index/*'))?.body,
  ];
  const before = await look();
  const env = { ...process.env, MYSQL_URL: `mysql://${login}@${url}`, ELASTICSEARCH_URL: elasticsearch?.url };
  const { code, stdout } = await run('make', DEMO, { env });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /waiting for tcp:\/\/127\.0\.0\.1:\d+/);
  assert.deepEqual(await look(), before);
});

for (const [what, signal, toGroup] of [
  ['Ctrl-C', 'SIGINT', true],
  ['SIGKILL of make', 'SIGKILL', false],
] as const) {
  test(`after ${what} in the middle, no process and no directory remains`, { skip }, async () => {
    await using directory = await privateDirectory('demo');
    const env = { ...process.env, TMPDIR: directory.path };
    await using make = await start('make', DEMO, { env, keepOutput: true });
    const { stdout, stderr } = make.child;
    assert.ok(stdout !== null && stderr !== null);
    stderr.resume();
    const running = createInterface({ input: stdout });
    for await (const line of running) if (line.includes('running ')) break;
    assert.ok(
      readdirSync(directory.path).length > 0 && processesWith(directory.path).length > 0,
      'it was not under way',
    );
    process.kill(toGroup ? -make.pid : make.pid, signal);
    stdout.resume();
    await until('processes and directory to be gone', async () => {
      return readdirSync(directory.path).length + processesWith(directory.path).length > 0 ? undefined : true;
    });
  });
}
