import { chown } from 'node:fs/promises';
import { privateDirectory } from './directory.ts';

/** Probes whether this machine supports a part. Returns the reason why not, or undefined. */
export type Capability = () => Promise<string | undefined>;

/** The first reason why one of several parts is unsupported, or undefined. */
export async function firstLacking(capabilities: readonly Capability[]): Promise<string | undefined> {
  for (const capability of capabilities) {
    const reason = await capability();
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether files can be given to other users, as Kolla's tools do as root. */
export const canGiveFilesAway: Capability = async () => {
  await using directory = await privateDirectory('chown');
  return await chown(directory.path, 42_425, 42_425).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => `files can't be given to other users here: ${error.code}`,
  );
};
