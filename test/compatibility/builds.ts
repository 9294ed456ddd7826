/**
 * The helpers and charts of the previous release, next to those of these sources:
 *
 *   git archive COMMIT -> npm ci by its own lockfile -> its build/binary.ts and build/charts.ts -> the cache, by commit
 *   these sources -> pod-binary.ts
 *   -> namesOf(build), a directory with its helpers; a test runs each of ORDERS
 *
 * What can fail: a clone without that commit, no npm registry, sources that this machine can't build.
 */
import { chmod, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must, run } from '../../tools/process.ts';
import { podBinary } from '../cluster/pod-binary.ts';

/** The previous release's commit; until there is a release, the one that could build the first. */
const COMMIT = '6d8a0537059fc30438926ea61b5cf20275b9bc05';

export type Build = 'previous' | 'current';

/** The build that was there before, and the one that takes its place: an upgrade, and a rollback. */
export const ORDERS: readonly (readonly [Build, Build])[] = [
  ['previous', 'current'],
  ['current', 'previous'],
];

/** Tested by building it, which is immediate if it is cached. */
export const canRunPrevious: Capability = async () => {
  try {
    await previousRelease();
    return undefined;
  } catch (error) {
    return `no previous release: ${messageOf(error)}`;
  }
};

/** A directory with the built helpers, by name. */
export async function namesOf(build: Build): Promise<string> {
  return join(build === 'previous' ? await previousRelease() : (await podBinary()).directory, 'bin');
}

/** A packaged chart of the previous release; undefined if it has none of this name. */
export async function previousChart(name: string): Promise<string | undefined> {
  const [file] = await Array.fromAsync(glob(join(await previousRelease(), 'charts', `${name}-[0-9]*.tgz`)));
  return file;
}

async function previousRelease(): Promise<string> {
  return await cached('previous', [COMMIT, process.arch], buildPrevious);
}

async function buildPrevious(directory: string): Promise<void> {
  const { code } = await run('git', ['-C', ROOT, 'cat-file', '-e', `${COMMIT}^{commit}`]);
  if (code !== 0) throw new Error(`its commit ${COMMIT} is not in this clone: git fetch --unshallow`);
  await using sources = await privateDirectory('previous');
  const archive = join(sources.path, 'sources.tar');
  await must('git', ['-C', ROOT, 'archive', `--output=${archive}`, COMMIT]);
  await must('tar', ['-xf', archive, '-C', sources.path]);
  const there = { cwd: sources.path };
  await must('npm', ['ci', '--loglevel=error'], there);
  const node = join(sources.path, 'node_modules/.bin/node');
  await must(node, ['build/binary.ts', '--quiet', '--out', directory], there);
  await must(node, ['build/charts.ts', join(directory, 'charts')], there);
  // The cache's directory is private, but other users run the binary.
  await chmod(directory, 0o755);
}
