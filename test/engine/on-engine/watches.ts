/** What fs.watch reports, run by either engine in an empty directory. */
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../../src/core/errors.ts';

/** Different ones, since the kernel joins equal events that were not read yet. */
const STEPS: readonly ((at: (name: string) => string) => void)[] = [
  (at) => writeFileSync(at('a'), 'text'),
  (at) => chmodSync(at('a'), 0o600),
  (at) => renameSync(at('a'), at('b ä')),
  (at) => symlinkSync('nowhere', at('link')),
  (at) => mkdirSync(at('sub')),
  (at) => writeFileSync(at('sub/unseen'), ''),
  (at) => unlinkSync(at('sub/unseen')),
  (at) => chmodSync(at('sub'), 0o700),
  (at) => rmdirSync(at('sub')),
  (at) => unlinkSync(at('link')),
  (at) => unlinkSync(at('b ä')),
];

/** The events of each watcher: two of the directory, of which one is closed halfway, and one of a file in it. */
export async function results(directory: string): Promise<unknown> {
  const at = (name: string) => join(directory, 'watched', name);
  mkdirSync(at(''));
  writeFileSync(at('file'), '');
  const heard: Record<string, string[]> = { whole: [], closed: [], file: [] };
  const hear = (name: string, path: string): FSWatcher =>
    watch(path, (event, what) => heard[name]!.push(`${event} ${what}`));
  const watchers = [hear('whole', at('')), hear('closed', at('')), hear('file', at('file'))];
  const [whole, closed, file] = watchers as [FSWatcher, FSWatcher, FSWatcher];
  for (const step of STEPS.slice(0, 6)) step(at);
  await until(() => heard['closed']!.includes('rename sub'));
  closed.close();
  for (const step of STEPS.slice(6)) step(at);
  unlinkSync(at('file'));
  rmdirSync(at(''));
  await until(() => heard['whole']!.includes('rename watched'));
  // Of a removed file's watcher too.
  for (const each of [whole, file]) each.close();
  let refused: unknown;
  try {
    watch(at('missing'), () => {}).close();
  } catch (error) {
    refused = [codeOf(error), (error as Error).message.replace(directory, '')];
  }
  return { heard, refused };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => setTimeout(resolve, 5));
}

export async function main([directory = '']: readonly string[]): Promise<number> {
  process.stdout.write(JSON.stringify(await results(directory)));
  return 0;
}
