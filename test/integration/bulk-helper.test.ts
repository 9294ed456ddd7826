import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { must } from '../../tools/process.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunElasticsearch, startElasticsearch } from '../cluster/elasticsearch.ts';
import { runHelper } from '../support/helper.ts';
import { writeLogLines } from '../support/log-lines.ts';

const skip = (await canRunElasticsearch()) ?? false;
const BULK_HELPER = fileURLToPath(new URL('../../bench/bulk-helper.ts', import.meta.url));
const LINES = 2000;

test("Elasticsearch's client and kolla-log-ship index the same documents of a log", { skip }, async () => {
  await using server = await startElasticsearch();
  await using logs = await privateDirectory('parity');
  const file = join(logs.path, 'nova/nova-compute.log');
  await mkdir(join(logs.path, 'nova'));
  writeLogLines(file, { events: LINES });
  await must(process.execPath, [BULK_HELPER, server.url, file, 'helper']);
  const where = ['--url', server.url, '--root', logs.path, '--index-prefix', 'ours'];
  const { code, stderr } = await runHelper('kolla-log-ship', [
    ...where,
    '--once',
    '--schema',
    'raw',
    '--timezone',
    'UTC',
  ]);
  assert.equal(code, 0, stderr);
  const indexed = async (prefix: string) => {
    await server.refresh();
    const found = await server.search(`${prefix}-2026.11.20`, { size: 2 * LINES, query: { match_all: {} } });
    return found
      .map(({ _source }) => _source)
      .toSorted((a, b) => (String(a['message']) < String(b['message']) ? -1 : 1));
  };
  const documents = await indexed('helper');
  assert.equal(documents.length, LINES);
  assert.deepEqual(await indexed('ours'), documents);
});
