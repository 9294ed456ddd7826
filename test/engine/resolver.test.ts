/** Compares the resolver of kolla-core with that of the C library, with the same files and DNS servers. */
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
};
const HOSTS = '127.0.0.1 localhost\n192.0.2.9\tfile.test other # a comment\n2001:db8::9 File.test\n';

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

async function both(files: Files, names: readonly string[]): Promise<[ours: unknown, theirs: unknown]> {
  const words = await wordsFor(files);
  const ours = await must('unshare', [...words, join(directory.path, 'core-bin/lookup'), ...names]);
  const theirs = await must('unshare', [...words, process.execPath, C_LIBRARY, ...names]);
  return [JSON.parse(ours), JSON.parse(theirs)];
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
  const local = ['localhost', 'file.test', 'other', '192.0.2.8', '2001:db8::8'];
  const hard = ['long.test', 'failing.test'];
  const conf = `# ours\nnameserver ${address(2)}\noptions timeout:1 attempts:1\n`;
  const [ours, theirs] = await both({ conf }, [...names, ...local, ...hard]);
  assert.deepEqual(ours, theirs);
  assert.deepEqual((ours as Record<string, unknown>)['both.test'], ['192.0.2.2', '192.0.2.3', '2001:db8::2']);
  assert.equal((ours as Record<string, string[]>)['long.test']?.length, many.length);
  assert.equal((ours as Record<string, unknown>)['failing.test'], 'EAI_AGAIN');
  assert.ok(server.asked.includes('four.test A') && server.asked.includes('four.test AAAA'));
});

test('forged and malformed replies are ignored', { skip }, async () => {
  await using _ = await startNameServer(address(2), ZONE);
  const words = await wordsFor({ conf: `nameserver ${address(2)}\noptions timeout:1 attempts:1\n` });
  const ours = await must('unshare', [...words, join(directory.path, 'core-bin/lookup'), 'forged.test']);
  assert.deepEqual(JSON.parse(ours), { 'forged.test': ['192.0.2.7'] });
});

for (const options of ['', 'options ndots:5\n', 'options ndots:2 timeout:1 attempts:1\n'])
  test(`searches for short names in the same order, with ${options.trim() || 'no options'}`, { skip }, async () => {
    await using server = await startNameServer(address(2), ZONE);
    const conf = `search ns.cluster.test cluster.test\n${options}nameserver ${address(2)}\n`;
    const names = ['short', 'two.dots', 'four.test', 'absent', 'short.'];
    const words = await wordsFor({ conf });
    const ours = JSON.parse(
      await must('unshare', [...words, join(directory.path, 'core-bin/lookup'), ...names]),
    ) as unknown;
    const asked = server.asked.filter((one) => one.endsWith(' A'));
    const theirs = JSON.parse(await must('unshare', [...words, process.execPath, C_LIBRARY, ...names])) as unknown;
    assert.deepEqual(ours, theirs);
    assert.deepEqual(asked, server.asked.filter((one) => one.endsWith(' A')).slice(asked.length));
  });

test('skips a silent or missing server', { skip }, async () => {
  const silent = Object.fromEntries(Object.keys(ZONE).map((name) => [name, { fault: 'silent' as const }]));
  await using first = await startNameServer(address(2), silent);
  await using _ = await startNameServer(address(3), ZONE);
  const conf = [4, 2, 3].map((last) => `nameserver ${address(last)}\n`).join('');
  const [ours, theirs] = await both({ conf: `${conf}options timeout:1 attempts:1\n` }, ['four.test', 'both.test']);
  assert.deepEqual(ours, theirs);
  assert.deepEqual((ours as Record<string, unknown>)['four.test'], ['192.0.2.1']);
  assert.ok(first.asked.length > 0);
  const [alone, alike] = await both({ conf: `nameserver ${address(2)}\noptions timeout:1 attempts:1\n` }, [
    'four.test',
  ]);
  assert.deepEqual([alone, alike], [{ 'four.test': 'EAI_AGAIN' }, { 'four.test': 'EAI_AGAIN' }]);
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
