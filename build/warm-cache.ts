import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTarget, type Base } from './base.ts';
import { ROOT } from './bundle.ts';
import { EXEC_ARGV } from './join.ts';
import { assetNames } from './load.ts';

const exec = promisify(execFile);

/**
 * Flags with which the same source gives the same cache: hashes are seeded, no other thread affects what is compiled
 * and when, and no collection discards bytecode. None of them is part of V8's flag hash, to which a cache is bound.
 */
const WARM_ARGV = [
  '--random-seed=1',
  '--v8-pool-size=0',
  '--no-concurrent-sparkplug',
  '--no-concurrent-recompilation',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

/** Checks whether V8 accepts the cache, with the code of the binary's main. */
const ACCEPTED = `
  const [source, cache] = process.argv.slice(1).map((file) => require('node:fs').readFileSync(file));
  const { cachedDataRejected } = new (require('node:vm').Script)(source.toString('latin1'), { cachedData: cache });
  process.stdout.write(String(cachedDataRejected === false));`;

/**
 * Creates the code cache of a bundle with the node that will read it.
 * @param directory contains the bundle and its libraries
 * @throws Error if that node would reject the cache, which would then only add cost
 */
export async function warmCache(base: Base, name: string, directory: string): Promise<void> {
  // Empty environment: a helper's settings must not affect the cache.
  const options = { env: {}, cwd: directory };
  const node = (...args: string[]) => exec(...onTarget(base.target, base.path, args), options);
  await node(...WARM_ARGV, join(ROOT, 'build/warm.ts'), name);
  const { source, cache } = assetNames(name);
  const { stdout } = await node(...EXEC_ARGV, '-e', ACCEPTED, source, cache);
  if (stdout !== 'true') throw new Error(`node rejects its own code cache of ${name}`);
}
