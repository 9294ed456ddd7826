import { codeOf, ConfigError, reasonOf } from '../core/errors.ts';
import { lookAt, mayWriteIn } from '../fs/access.ts';
import { readRegular } from '../fs/content.ts';
import { under } from './place.ts';
import { parseState, stateText, type State } from './stored-state.ts';

/** The directory for kolla-init's persistent state and for the command that kolla_start reads. */
export const STATE_DIRECTORY = '/run/kolla';
export const STATE_DIRECTORY_MODE = 0o750;
const STATE_MODE = 0o640;

/**
 * The files installed by earlier runs. Undefined if no state can be kept: there is no writable directory for it. Throws
 * ConfigError for an invalid state: nothing could be restored.
 * @param makesDirectory whether to create the directory, because the root is our volume and not the image itself
 */
export function readTracked(root: string, makesDirectory: boolean): State | undefined {
  const file = stateFile(root);
  try {
    return parseState(readRegular(file).toString());
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      return canKeep(under(root, STATE_DIRECTORY), makesDirectory) ? new Map() : undefined;
    if ((cause as NodeJS.ErrnoException).syscall !== undefined)
      throw new ConfigError(`cannot read ${file}: ${reasonOf(cause)}`, { cause });
    throw new ConfigError(
      `${file} is not what this tool writes, so it is unknown what the image had; remove it, or re-create the volume`,
      { cause },
    );
  }
}

function canKeep(directory: string, makesDirectory: boolean): boolean {
  const found = lookAt(directory);
  return found === undefined ? makesDirectory : found.isDirectory() && mayWriteIn(directory);
}

export function stateFile(root: string): string {
  return under(root, `${STATE_DIRECTORY}/state`);
}

/** Where the image's own file of a destination is saved if the image itself is written. */
export function keptPath(dest: string): string {
  return `${STATE_DIRECTORY}/defaults${dest}`;
}

/** The serialized state. */
export function stateImage(tracked: State): { content: Buffer; mode: number; uid: -1; gid: -1 } {
  return { content: Buffer.from(stateText(tracked)), mode: STATE_MODE, uid: -1, gid: -1 };
}
