/** After a kill at any moment, every file is either old or new, the state is readable, and the next start converges. */
import assert from 'node:assert/strict';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { canGiveFilesAway } from '../../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { coreBinary, isSanitized, placeCore } from '../../cluster/core-binary.ts';
import { entry } from './entries.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { isOnCore } from '../../support/helper.ts';
import { byUs } from './ours.ts';
import { CONFIG } from './play.ts';
import { look, plant, type Files } from './tree.ts';

// The test starts 400 processes, one after the other.
fileLimit(30);

// As the maker's in the fixtures.
process.umask(0o022);

const skip = (await canGiveFilesAway()) ?? false;
/** Under a sanitizer fewer files, each killed as often: its writes are the same. */
const FILES = isSanitized ? 5 : 20;
const KILLS = 10 * FILES;
const SIZE = 10_000;
/** Number of writes between two kills, chosen so that kills reach the last ones. */
const STRIDE = 1.3;
const CHILD = fileURLToPath(new URL('fixtures/starts.ts', import.meta.url));
/** Directories that the tool creates as parents; a later start keeps their mode. */
const MADE = ['etc/kolla', 'etc/kolla/defaults', 'etc/kolla/defaults/etc', 'etc/kolla/defaults/etc/x'];
const start = { argv: [], env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS' } };

/** Starts the tool, which kills itself before or after its write number `at`. Resolves with the signal. */
type StartKilled = (root: string, at: number, when: string) => Promise<string | null>;

async function killedOnNode(directory: string): Promise<StartKilled> {
  // Node starts five times faster from a bundle.
  const child = join(directory, 'child.mjs');
  await build({
    entryPoints: [CHILD],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return async (root, at, when) => await endOf(fork(child, [root, `${at}`, when], { stdio: 'ignore' }));
}

async function killedOnCore(directory: string): Promise<StartKilled> {
  const { binary } = await coreBinary(directory, ['kolla_set_configs'], 'test/contract/set-configs/fixtures/on-engine');
  return async (root, at, when) => {
    const placed = await placeCore(binary, root, 'kolla_set_configs');
    const [program, ...words] = placed.call;
    const env = { ...start.env, PATH: process.env['PATH'], KILLED_AT: `${at}`, KILLED: when };
    const signal = await endOf(spawn(program, words, { env, stdio: 'ignore' }));
    placed.remove();
    return signal;
  };
}

async function endOf(child: ChildProcess): Promise<string | null> {
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal;
}

test(`${KILLS} kills leave no partial file, and the next start converges`, { skip }, async (t) => {
  await using directory = await privateDirectory('kill', inMemory());
  const startKilled = await (isOnCore ? killedOnCore : killedOnNode)(directory.path);
  const names = Array.from({ length: FILES }, (_, i) => `${i}.conf`);
  const config = { command: 'run', config_files: names.map((name) => entry(name, `/etc/x/${name}`)) };
  const sources = (letter: string) => Object.fromEntries(names.map((n) => [`${CONFIG}/${n}`, letter.repeat(SIZE)]));
  const image = Object.fromEntries(names.map((n) => [`etc/x/${n}`, 'i'.repeat(SIZE)]));
  let between = 0;
  for (let i = 0; i < KILLS; i++) {
    const root = join(directory.path, `${i}`);
    mkdirSync(root);
    // With /etc/kolla/defaults of an earlier start, the tool first reads the state in that directory.
    const before: Files = i % 4 < 2 ? {} : { 'etc/kolla/defaults': { directory: true } };
    plant(root, { ...image, ...before, ...sources('n'), [`${CONFIG}/config.json`]: JSON.stringify(config) });
    // The kills are at all of the tool's writes in turn, which does not depend on the machine's speed.
    const signal = await startKilled(root, 1 + Math.floor(i * STRIDE), i % 2 === 0 ? 'before' : 'after');
    const left = look(root);
    if (signal === 'SIGKILL') between++;
    for (const [path, { what }] of left) {
      if (!/^etc\/.*x\/\d+\.conf$/.test(path)) continue;
      assert.match(what, /^file \d+:\d+ \d+ (?:i+|n+)$/, path);
      assert.equal(what.length - what.lastIndexOf(' ') - 1, SIZE, path);
      if (what.endsWith('n')) assert.match(what, /^file 42425:42425 600 /, 'a secret readable by others');
    }
    const state = left.get('etc/kolla/defaults/state');
    if (state) assert.doesNotThrow(() => JSON.parse(state.what.replace(/^file \S+ \S+ /, '')));
    const again = await byUs({ root, ...start });
    assert.equal(again.code, 0, again.stderr);
    const seen = look(root);
    for (const path of MADE) assert.match(seen.get(path)!.what, /^directory 0:0 755\b/, `${path} after kill ${i}`);
    for (const name of names) {
      assert.match(seen.get(`etc/x/${name}`)!.what, /n$/);
      assert.match(seen.get(`etc/kolla/defaults/etc/x/${name}`)!.what, /i$/);
    }
    rmSync(root, { recursive: true });
  }
  t.diagnostic(`${between} of ${KILLS} were killed between the first write and the last rename`);
  assert.ok(between >= KILLS * 0.75);
});
