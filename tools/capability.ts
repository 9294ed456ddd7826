import { chown } from 'node:fs/promises';
import { privateDirectory } from './directory.ts';

/** Proves by trying that this machine can have a part. The reason why not, or undefined when it can. */
export type Capability = () => Promise<string | undefined>;

/** Why this machine can't have one of several parts: the first reason, or undefined when it can have all. */
export async function firstLacking(capabilities: readonly Capability[]): Promise<string | undefined> {
  for (const capability of capabilities) {
    const reason = await capability();
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether we may give files to other users, as Kolla's tools do as root. */
export const canGiveFilesAway: Capability = async () => {
  await using directory = await privateDirectory('chown');
  return await chown(directory.path, 42_425, 42_425).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => `files can't be given to other users here: ${error.code}`,
  );
};
