/** FileHandle.sync, run by either engine. */
import { open } from 'node:fs/promises';

interface Synced {
  readonly ended: readonly string[];
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** What ended before what: a slow disk must not delay what else is due. */
export async function results(path: string): Promise<Synced> {
  const ended: string[] = [];
  const note = (what: string) => () => void ended.push(what);
  await using file = await open(path, 'w', 0o600);
  await file.writeFile('content');
  const synced = [file.sync().then(note('a sync')), file.datasync().then(note('a sync'))];
  await Promise.resolve().then(note('other work'));
  await Promise.all(synced);
  await using notSynced = await open('/dev/null', 'r');
  const { code, message } = await notSynced.sync().then(
    () => ({ code: undefined, message: undefined }),
    (error: NodeJS.ErrnoException) => error,
  );
  return { ended, code, message };
}

export async function main([path = '']: readonly string[]): Promise<number> {
  process.stdout.write(JSON.stringify(await results(path)));
  return 0;
}
