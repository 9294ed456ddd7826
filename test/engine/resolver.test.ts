/** Compares our resolver, on both engines, with that of the C library, with the same files and DNS servers. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { must, start } from '../../tools/process.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { until } from '../support/until.ts';
import { startNameServer, type Zone } from './name-server.ts';

const isRoot = process.geteuid?.() === 0;
const missing = (await canBuildCore()) ?? (isRoot ? undefined : 'needs root, for resolv.conf in a namespace of mounts');
const skip = missing ?? false;
const directory = await privateDirectory('resolver');
after(async () => await directory[Symbol.asyncDispose]());
if (missing === undefined) await coreBinary(directory.path, ['lookup'], 'test/engine/on-engine');

const C_LIBRARY = fileURLToPath(new URL('fixtures/lookup.ts', import.meta.url));
const ON_NODE = fileURLToPath(new URL('fixtures/lookup-on-node.ts', import.meta.url));
const address = (last: number) => `127.77.${process.pid % 250}.${last}`;
const many = Array.from({ length: 60 }, (_, i) => `192.0.2.${i + 1}`);
const ZONE: Zone = {
  'four.test': { A: ['192.0.2.1'] },
  'six.test': { AAAA: ['2001:db8::1'] },
  'both.test': { A: ['192.0.2.2', '192.0.2.3'], AAAA: ['2001:db8::2'] },
  'alias.test': { CNAME: 'more.alias.test' },
  'more.alias.test': { CNAME: 'both.test' },
  'none.test': {},
  'short.cluster.test': { A: ['192.0.2.4'] },
  'short.ns.cluster.test': { A: ['192.0.2.5'] },
  'two.dots.cluster.test': { A: ['192.0.2.6'] },
  'long.test': { A: many, fault: 'long' },
  'forged.test': { A: ['192.0.2.7'], fault: 'forged' },
  'failing.test': { fault: 'failing' },
  'no-six.test': { A: ['192.0.2.10'], AAAAcode: 2 },
  'refused-six.test': { A: ['192.0.2.11'], AAAAcode: 5 },
  'absent-six.test': { A: ['192.0.2.12'], AAAAcode: 3 },
  'plain.test': { A: ['192.0.2.13'], fault: 'plain' },
  'tcp.test': { A: ['192.0.2.14'], fault: 'tcp' },
};
const HOSTS = '127.0.0.1 localhost\n192.0.2.9\tfile.test other # a comment\n2001:db8::9 File.test\n';

/** The longest that resolvers allow. The server is this process, which a busy machine may stop for seconds. */
const PATIENT = 'timeout:30 attempts:1';
/** Only where a silent server is waited for. */
const IMPATIENT = 'timeout:1 attempts:1';

const ENGINES = ['core', 'Node'] as const;
type Engine = (typeof ENGINES)[number];

interface Files {
  readonly conf: string;
  readonly hosts?: string;
}

/** Arguments of the launcher that run a program with its own resolv.conf and hosts. */
async function wordsFor({ conf, hosts = HOSTS }: Files): Promise<readonly string[]> {
  const places = ['resolv.conf', 'hosts'].map((name) => join(directory.path, name));
  await writeFile(places[0]!, conf);
  await writeFile(places[1]!, hosts);
  const script = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return ['--mount', 'sh', '-ec', script, ...places];
}

/** Resolves the names with our resolver on one engine. */
async function ours(words: readonly string[], engine: Engine, names: readonly string[]): Promise<unknown> {
  const program = engine === 'core' ? [join(directory.path, 'core-bin/lookup')] : [process.execPath, ON_NODE];
  return JSON.parse(await must('unshare', [...words, ...program, ...names]));
}

/** The addresses or the code for each name, which must be the same with our resolver and with the C library's. */
async function alike(files: Files, names: readonly string[]): Promise<Record<string, unknown>> {
  const words = await wordsFor(files);
  const theirs = JSON.parse(await must('unshare', [...words, process.execPath, C_LIBRARY, ...names])) as unknown;
  for (const engine of ENGINES) assert.deepEqual(await ours(words, engine, names), theirs, engine);
  return theirs as Record<string, unknown>;
}

test('names resolve as with the C library', { skip }, async () => {
  await using server = await startNameServer(address(2), ZONE);
  const names = [
    'four.test',
    'FOUR.test',
    'six.test',
    'both.test',
    'alias.test',
    'none.test',
    'absent.test',
    'four.test.',
    `${'x'.repeat(64)}.test`,
    'a..test',
  ];
  const local = ['localhost', 'file.test', 'other', '192.0.2.8', '2001:db8::8', 'fe80::1%lo'];
  const numbers = ['127.1', '0x7f000001', '2130706433', '017.0.1', '1.2.3.256', '08.0.0.1'];
  const halves = ['no-six.test', 'refused-six.test', 'absent-six.test'];
  const hard = ['long.test', 'failing.test'];
  const conf = `# ours\nnameserver ${address(2)}\noptions ${PATIENT}\n`;
  const found = await alike({ conf }, [...names, ...local, ...numbers, ...halves, ...hard]);
  assert.deepEqual(found['both.test'], ['192.0.2.2', '192.0.2.3', '2001:db8::2']);
  assert.equal((found['long.test'] as string[]).length, many.length);
  assert.equal(found['failing.test'], 'EAI_AGAIN');
  assert.deepEqual(found['017.0.1'], ['15.0.0.1']);
  assert.deepEqual(found['no-six.test'], ['192.0.2.10']);
  assert.ok(server.asked.includes('four.test A') && server.asked.includes('four.test AAAA'));
});

test('forged and malformed replies are ignored', { skip }, async () => {
  await using _ = await startNameServer(address(2), ZONE);
  const words = await wordsFor({ conf: `nameserver ${address(2)}\noptions ${PATIENT}\n` });
  for (const engine of ENGINES)
    assert.deepEqual(await ours(words, engine, ['forged.test']), { 'forged.test': ['192.0.2.7'] }, engine);
});

for (const options of ['timeout:30', 'ndots:5 timeout:30', `ndots:2 ${PATIENT}`])
  test(`searches for short names in the same order, with options ${options}`, { skip }, async () => {
    await using server = await startNameServer(address(2), ZONE);
    const conf = `search ns.cluster.test cluster.test\noptions ${options}\nnameserver ${address(2)}\n`;
    const names = ['short', 'two.dots', 'four.test', 'absent', 'short.'];
    const words = await wordsFor({ conf });
    const theirs = JSON.parse(await must('unshare', [...words, process.execPath, C_LIBRARY, ...names])) as unknown;
    const asked = server.asked.filter((one) => one.endsWith(' A'));
    for (const [index, engine] of ENGINES.entries()) {
      assert.deepEqual(await ours(words, engine, names), theirs, engine);
      const own = server.asked.filter((one) => one.endsWith(' A')).slice((index + 1) * asked.length);
      assert.deepEqual(own, asked, engine);
    }
  });

test('skips a silent or missing server', { skip }, async () => {
  const silent = Object.fromEntries(Object.keys(ZONE).map((name) => [name, { fault: 'silent' as const }]));
  await using first = await startNameServer(address(2), silent);
  await using _ = await startNameServer(address(3), ZONE);
  const conf = [4, 2, 3].map((last) => `nameserver ${address(last)}\n`).join('');
  // It limits the server that answers, too.
  const found = await alike({ conf: `${conf}options timeout:3 attempts:1\n` }, ['four.test', 'both.test']);
  assert.deepEqual(found['four.test'], ['192.0.2.1']);
  assert.ok(first.asked.length > 0);
  const alone = await alike({ conf: `nameserver ${address(2)}\noptions ${IMPATIENT}\n` }, ['four.test']);
  assert.deepEqual(alone, { 'four.test': 'EAI_AGAIN' });
});

test('a longer name is tried after a failure, but not after a timeout', { skip }, async () => {
  const short = { A: ['192.0.2.4'] };
  await using server = await startNameServer(address(2), {
    'dead.ns.cluster.test': { fault: 'silent' },
    'dead.cluster.test': short,
    'bad.ns.cluster.test': { fault: 'failing' },
    'bad.cluster.test': short,
    'worse.ns.cluster.test': { fault: 'failing' },
  });
  const confWith = (options: string) =>
    `search ns.cluster.test cluster.test\nnameserver ${address(2)}\noptions ${options}\n`;
  assert.deepEqual(await alike({ conf: confWith(PATIENT) }, ['bad', 'worse']), {
    bad: ['192.0.2.4'],
    worse: 'EAI_AGAIN',
  });
  // The C library stops there too, but calls a name absent about which no server has answered.
  const words = await wordsFor({ conf: confWith(IMPATIENT) });
  for (const engine of ENGINES) assert.deepEqual(await ours(words, engine, ['dead']), { dead: 'EAI_AGAIN' }, engine);
  await must('unshare', [...words, process.execPath, C_LIBRARY, 'dead']);
  assert.ok(!server.asked.some((one) => one.startsWith('dead.cluster.test')));
});

for (const [option, name, queries] of [
  ['edns0', 'both.test', /^both\.test AAAA 1232 both\.test A 1232$/],
  ['use-vc', 'tcp.test', /^$/],
  ['no-aaaa', 'both.test', /^both\.test A$/],
  ['single-request', 'both.test', /^both\.test AAAA both\.test A$/],
] as const)
  test(`applies the option ${option}`, { skip }, async () => {
    await using server = await startNameServer(address(2), ZONE);
    const files = { conf: `nameserver ${address(2)}\noptions ${PATIENT} ${option}\n` };
    await alike(files, [name]);
    const words = await wordsFor(files);
    for (const engine of ENGINES) {
      const before = server.asked.length;
      await ours(words, engine, [name]);
      assert.match(server.asked.slice(before).join(' '), queries, engine);
    }
  });

test('a server that rejects EDNS is queried without it', { skip }, async () => {
  await using _ = await startNameServer(address(2), ZONE);
  const words = await wordsFor({ conf: `nameserver ${address(2)}\noptions edns0 ${PATIENT}\n` });
  for (const engine of ENGINES)
    assert.deepEqual(await ours(words, engine, ['plain.test']), { 'plain.test': ['192.0.2.13'] }, engine);
});

test('rotates among the servers if the option says so', { skip }, async () => {
  await using first = await startNameServer(address(2), ZONE);
  await using second = await startNameServer(address(3), ZONE);
  const conf = `nameserver ${address(2)}\nnameserver ${address(3)}\noptions rotate no-aaaa ${PATIENT}\n`;
  const words = await wordsFor({ conf });
  for (const [index, engine] of ENGINES.entries()) {
    await ours(words, engine, ['four.test', 'four.test.', 'both.test', 'alias.test']);
    assert.deepEqual([first.asked.length, second.asked.length], [2 * (index + 1), 2 * (index + 1)], engine);
  }
});

test('SIGTERM ends a wait for a DNS server', { skip }, async () => {
  await using server = await startNameServer(address(2), { 'four.test': { fault: 'silent' } });
  await coreBinary(directory.path, ['healthcheck_curl']);
  const words = await wordsFor({ conf: `nameserver ${address(2)}\noptions timeout:30\n` });
  await using curl = await start('unshare', [
    ...words,
    join(directory.path, 'core-bin/healthcheck_curl'),
    'http://four.test/',
  ]);
  await until('the question', () => Promise.resolve(server.asked.length > 0 || undefined));
  assert.equal(await curl.stop(), 143);
});
