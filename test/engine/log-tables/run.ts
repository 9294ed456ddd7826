/** Compares kolla-core's interpreter of log tables, built with sanitizers if the environment says so, with the reference. */
import { join } from 'node:path';
import { privateDirectory, inMemory } from '../../../tools/directory.ts';
import { run } from '../../../tools/process.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { digests } from '../on-engine/log-tables.ts';
import { round } from './rounds.ts';

const ENV = { ASAN_OPTIONS: 'quarantine_size_mb=32:detect_leaks=1' };

export async function interpreting() {
  const directory = await privateDirectory('log-tables', inMemory());
  const { names } = await coreBinary(directory.path, ['log-tables', 'damaged-tables'], 'test/engine/on-engine');
  const host = async (name: string, ...words: number[]): Promise<unknown> => {
    const env = { PATH: process.env['PATH'], ...ENV };
    const { code, stdout, stderr } = await run(join(names, name), words.map(String), { env });
    if (code !== 0 || stderr !== '') throw new Error(`${name} ${words.join(' ')}: exit code ${code}\n${stderr}`);
    return JSON.parse(stdout);
  };
  return {
    [Symbol.asyncDispose]: async () => await directory[Symbol.asyncDispose](),
    /** What differs first in rounds from the number `first`; undefined if nothing does. */
    async difference(first: number, count: number): Promise<string | undefined> {
      const theirs = (await host('log-tables', first, count)) as string[];
      const wrong = digests(first, count).findIndex((digest, i) => digest !== theirs[i]);
      if (wrong === -1) return undefined;
      const [wanted, found] = [round(first + wrong), (await host('log-tables', first + wrong)) as string[]];
      const at = wanted.findIndex((text, i) => text !== found[i]);
      return `round ${first + wrong}, ${wanted[0]}, part ${at} of ${wanted.length}:\nreference ${wanted[at]}\nhost      ${found[at]}`;
    },
    /** How many damaged tables and layouts the host refuses, and how many it uses. */
    async damaged(first: number, count: number) {
      return (await host('damaged-tables', first, count)) as { readonly refused: number; readonly used: number };
    },
  };
}
