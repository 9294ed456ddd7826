/** More log files than may be open at once. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { canRunElasticsearch9, startElasticsearch9 } from '../cluster/elasticsearch-9.ts';
import { startBulkSink } from '../support/bulk-sink.ts';
import { fileLimit } from '../support/file-limit.ts';
import { logLines, startHelper } from '../support/helper.ts';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { inIndex, line, openSite } from './kolla-log-ship-servers-support.ts';

fileLimit(20);

const FILES = 10_000;
const SERVICES = 25;
const LIMIT = 1024;
/** The default is too little for so many files, which would be a second warning. */
const MEMORY = ['--memory', String(96 * 1024 * 1024)];
const launcher = ['prlimit', `--nofile=${LIMIT}:${LIMIT}`];

/** The warnings of a shipper, without those about the log server. */
function warningsIn(logFile: string): readonly string[] {
  const said = logLines(readFileSync(logFile, 'utf8')).filter(({ level }) => level === 'warn' || level === 'error');
  return said.map(({ msg }) => msg);
}

const SHORT =
  `${FILES} log files are read in turns, because only 896 of the ${LIMIT} of RLIMIT_NOFILE can be open at once: unread lines ` +
  'of a file that is removed while it is closed are lost. Raise the hard limit of open files to 11429';

test('10,000 files with 1,024 descriptors: every line once, through a kill, rotations and later lines', async (t) => {
  await using directory = await privateDirectory('many');
  await using sink = await startBulkSink();
  const root = join(directory.path, 'logs');
  for (let nth = 0; nth < SERVICES; nth++) mkdirSync(join(root, `service${nth}`), { recursive: true });
  const pathOf = (nth: number) => join(root, `service${nth % SERVICES}`, `part${nth}.log`);
  let written = 0;
  const next = () => `2026-11-27 10:00:00.000 7 INFO nova.api [-] seq=${written++}\n`;
  for (let nth = 0; nth < FILES; nth++) writeFileSync(pathOf(nth), next() + next());
  const start = async (name: string) => {
    const logFile = join(directory.path, name);
    const args = [
      '--root',
      root,
      '--state',
      join(directory.path, 'state'),
      '--timezone',
      'UTC',
      '--url',
      sink.url,
      ...MEMORY,
    ];
    return { logFile, running: await startHelper('kolla-log-ship', args, { launcher, logFile }) };
  };
  const has = (count: number) =>
    until(`${count} documents`, async (saw) => {
      const { documents } = await sink.counts();
      saw(documents);
      return documents >= count || undefined;
    });

  const first = await start('first');
  await has(FILES / 2);
  process.kill(first.running.pid, 'SIGKILL');
  await first.running.ended;
  assert.deepEqual(warningsIn(first.logFile), [SHORT]);

  const second = await start('second');
  await using _ = second.running;
  await has(FILES);
  const random = randomFrom(1);
  for (let n = 0; n < 300; n++) {
    // Each of a hundred files by one kind only: a rotation removes the copy of the one before.
    const path = pathOf(n * 33);
    if (n % 3 === 0) {
      renameSync(path, `${path}.1`);
      // As a service that has not noticed yet.
      appendFileSync(`${path}.1`, next());
    } else if (n % 3 === 1) {
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    }
    appendFileSync(path, next());
  }
  await has(2 * FILES);
  for (let n = 0; n < 2000; n++) appendFileSync(pathOf(Math.floor(random() * FILES)), next());
  await has(written);
  const descriptors = readdirSync(`/proc/${second.running.pid}/fd`).length;
  assert.equal(await second.running.stop(), 0);
  const { missing, doubled } = await sink.numbers(written);
  const { documents } = await sink.counts();
  t.diagnostic(`${written} lines of ${FILES} files, ${documents} documents, ${descriptors} descriptors`);
  assert.deepEqual({ missing, doubled, documents }, { missing: [], doubled: [], documents: written });
  assert.ok(descriptors < LIMIT);
  assert.deepEqual(warningsIn(second.logFile), [SHORT]);
});

test('the same in Elasticsearch, once', { skip: (await canRunElasticsearch9()) ?? false }, async () => {
  await using server = await startElasticsearch9();
  await using site = await openSite(server, 'many');
  for (let nth = 0; nth < FILES; nth++) writeFileSync(join(site.directory, `keystone/part${nth}.log`), line(nth));
  const logFile = join(site.directory, 'shipper.txt');
  const running = await startHelper('kolla-log-ship', ['--once', ...site.to, ...site.args, ...MEMORY], {
    launcher,
    logFile,
  });
  assert.equal(await running.ended, 0, readFileSync(logFile, 'utf8'));
  assert.deepEqual(warningsIn(logFile), [SHORT]);
  assert.deepEqual(await inIndex(server, site.index), { documents: FILES, distinct: FILES });
});
