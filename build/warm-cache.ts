import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTarget, type Base } from './base.ts';
import { bundleWarm } from './bundle.ts';
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

/** Prints the caches that V8 rejects, with the code of the binary's main. */
const REJECTED = `
  const { readFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  const isRejected = ({ source, cache }) =>
    new Script(readFileSync(source, 'latin1'), { cachedData: readFileSync(cache) }).cachedDataRejected !== false;
  process.stdout.write(JSON.parse(process.argv[1]).filter(isRejected).map(({ cache }) => cache).join(' '));`;

/**
 * Creates the code caches of bundles with the node that will read them.
 * @param directory contains the bundles and their libraries
 * @throws Error if that node would reject a cache, which would then only add cost
 */
export async function warmCaches(base: Base, names: readonly string[], directory: string): Promise<void> {
  // Empty environment: a helper's settings must not affect the cache.
  const options = { env: {}, cwd: directory };
  const node = (...args: string[]) => exec(...onTarget(base.target, base.path, args), options);
  const script = join(directory, 'warm.mjs');
  await writeFile(script, await bundleWarm());
  for (const name of names) await node(...WARM_ARGV, script, name);
  // One process reads all: under an emulator a start takes seconds.
  const { stdout } = await node(...EXEC_ARGV, '-e', REJECTED, JSON.stringify(names.map(assetNames)));
  if (stdout !== '') throw new Error(`node rejects its own code caches: ${stdout}`);
}
