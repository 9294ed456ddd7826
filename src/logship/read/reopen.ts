import { codeOf } from '../../core/errors.ts';
import { HeldFile } from './held-file.ts';
import { statOf, type Beside, type Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';

/** A name and the file that had it. */
interface Place {
  readonly at: string;
  readonly stat: { readonly dev: number; readonly ino: number };
}

/** Maximum number of renames between listing a name and opening it. */
const MOST_RENAMES = 20;
const NO_BUFFER = Buffer.alloc(0);

/**
 * Opens a listed file under its current name after rotation.
 * @param look lists the current files
 * @throws the error of `open`, or an error if the file is gone
 */
export function hold(sibling: Sibling, buffer: Buffer, open: OpenLog, look: () => readonly Sibling[]): HeldFile {
  const file = held(sibling, buffer, open, look);
  if (file === undefined) throw new Error('it is gone');
  return file;
}

/**
 * Opens a closed file again, under the name of before or the one that it has now.
 * @param at the name of before
 * @param path of the log, at which it may be again
 * @returns undefined if the file is gone
 * @throws the error of `open`
 */
export function reopen(
  file: HeldFile,
  at: string,
  path: string,
  { open, beside }: { readonly open: OpenLog; readonly beside: Beside },
): HeldFile | undefined {
  const look = () => [...placeAt(path), ...beside(path)];
  const place = placeOf(file, placeAt(at)) ?? placeOf(file, look());
  return place && held(place, NO_BUFFER, open, look);
}

function placeAt(at: string): readonly Place[] {
  const stat = statOf(at);
  return stat === undefined ? [] : [{ at, stat }];
}

/** Undefined if the file is gone. Throws the error of `open`. */
function held({ at, stat }: Place, buffer: Buffer, open: OpenLog, look: () => readonly Place[]): HeldFile | undefined {
  let name: string | undefined = at;
  for (let nth = 0; name !== undefined && nth < MOST_RENAMES; nth++) {
    const file = opened(name, buffer, open);
    if (file?.isSame(stat)) return file;
    file?.[Symbol.dispose]();
    name = placeOf(stat, look())?.at;
  }
  return undefined;
}

function placeOf({ dev, ino }: Place['stat'], places: readonly Place[]): Place | undefined {
  return places.find(({ stat }) => stat.ino === ino && stat.dev === dev);
}

function opened(path: string, buffer: Buffer, open: OpenLog): HeldFile | undefined {
  try {
    return new HeldFile(path, buffer, open);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
