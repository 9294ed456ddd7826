/** kolla-core, built with sanitizers if the environment says so, as a client of a server that damages what it sends. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory, inMemory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { damagingServer } from './server.ts';

/** More would only fill the report of allocations that are freed. */
const ENV = { ASAN_OPTIONS: 'quarantine_size_mb=32:detect_leaks=1' };

export interface Batch {
  /** How often each reason came. */
  readonly reasons: Readonly<Record<string, number>>;
  /** What the process printed if it did not end as it should, and which connection was next: several are open at once. */
  readonly found?: string;
}

/** @returns runs a number of connections, from the number `first` */
export async function asking(seed: number) {
  const directory = await privateDirectory('damaged', inMemory());
  const { names } = await coreBinary(directory.path, ['asks'], 'test/engine/on-engine');
  const caFile = join(directory.path, 'ca.pem');
  return {
    [Symbol.asyncDispose]: async () => await directory[Symbol.asyncDispose](),
    async batch(first: number, count: number): Promise<Batch> {
      await using server = await damagingServer(seed, first);
      await writeFile(caFile, server.certificate);
      const { code, stdout, stderr } = await run(
        join(names, 'asks'),
        [String(server.port), caFile, String(first), String(count)],
        { env: { PATH: process.env['PATH'], ...ENV } },
      );
      if (code === 0 && stderr === '') return { reasons: JSON.parse(stdout) as Record<string, number> };
      return {
        reasons: {},
        found: `exit code ${code} soon before connection ${server.next()}\n${stdout}${stderr}`.slice(0, 20_000),
      };
    },
  };
}
