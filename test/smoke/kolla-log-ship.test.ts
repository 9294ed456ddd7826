import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { databaseName, sharedElasticsearch } from '../servers/index.ts';
import { logLines, runHelper, startHelper } from '../support/helper.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';

const skip = (await canRunElasticsearch()) ?? false;
/** Lines in two of the log formats. */
const FORMATS = {
  'keystone/keystone.log': (n: number) => `2026-11-20 08:15:42.123 7 INFO keystone.server [-] line ${n}\n`,
  'mariadb/mariadb.log': (n: number) => `2026-11-20  8:15:42 7 [Note] line ${n}\n`,
};

test('1,000 lines of two formats, and kill -9 in the middle: each is a document once', { skip }, async () => {
  await using server = await sharedElasticsearch();
  await using directory = await privateDirectory('ship');
  const prefix = databaseName('logs');
  const index = `${prefix}-*`;
  const write = (from: number, to: number) => {
    for (const [file, line] of Object.entries(FORMATS))
      appendFileSync(join(directory.path, file), Array.from({ length: to - from }, (_, i) => line(from + i)).join(''));
  };
  for (const name of ['keystone', 'mariadb']) mkdirSync(join(directory.path, name));
  const args = ['--root', directory.path, '--url', server.url, '--index-prefix', prefix, '--timezone', 'UTC'];

  write(0, 250);
  const killed = await startHelper('kolla-log-ship', args);
  await until('the first documents', async () => (await server.count(index)) > 0 || undefined);
  write(250, 400);
  process.kill(killed.pid, 'SIGKILL');
  assert.equal(await killed.ended, 137);
  write(400, 500);
  const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...args]);
  assert.equal(code, 0, stderr);
  assert.equal(
    logLines(stderr).find(({ level }) => level === 'error'),
    undefined,
  );

  assert.equal(await server.count(index), 1000);
  const hits = await server.search(index, { size: 1000, query: { match_all: {} } });
  const seen = hits.map(({ _source: source }) => `${String(source['programname'])}: ${String(source['Payload'])}`);
  const wanted = Array.from({ length: 500 }, (_, n) => [
    `keystone: [-] line ${n}`,
    `mariadb: 7 [Note] line ${n}`,
  ]).flat();
  assert.deepEqual(seen.toSorted(), wanted.toSorted());
  assert.deepEqual([...new Set(hits.map(({ _index }) => _index))], [`${prefix}-2026.11.20`]);
});
