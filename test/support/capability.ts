import { chown } from 'node:fs/promises';
import { privateFolder } from './folder.ts';

/** Proves by trying that this machine can have a part. The reason why not, or undefined when it can. */
export type Capability = () => Promise<string | undefined>;

/** Whether we may give files to other users, as Kolla's tools do as root. */
export const canGiveFilesAway: Capability = async () => {
  await using folder = await privateFolder('chown');
  return await chown(folder.path, 42_425, 42_425).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => `files can't be given to other users here: ${error.code}`,
  );
};
