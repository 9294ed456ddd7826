import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { defined } from '../../core/defined.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import { isSameContent, readContent, type Content as Bytes } from '../../fs/content.ts';
import { hasOwner, octal, type Access } from '../tree/access.ts';
import type { FileStep, Step } from '../model.ts';
import type { Content, Sides } from './reveal.ts';

export interface Subject {
  readonly path: string;
  /** The entry that requires the object: `config_files[0]`. */
  readonly entry: string;
}

/** Renders the displayable part of two different contents. */
export type Show = (sides: Sides) => Promise<Content>;

/** A difference from the wanted state. Undefined properties match. */
export interface Difference extends Subject {
  /** The current state: `missing`, `a link, should be a file`. */
  readonly is?: string;
  readonly content?: Content;
  /** The target of a link. */
  readonly target?: Pair;
  /** The mode as four octal digits. */
  readonly mode?: Pair;
  /** The owner as `uid:gid`, with a star for any ID. */
  readonly owner?: Pair;
}

export interface Pair {
  readonly actual: string;
  readonly wanted: string;
}

/**
 * How the file, directory or link differs from the plan's step; undefined if it matches. As in Kolla, times are not
 * compared. An unreadable object is a difference.
 */
export async function compareStep(step: Step, show: Show): Promise<Difference | undefined> {
  if (step.isRight) return undefined;
  const subject = { path: step.path, entry: step.entry };
  let found: Stats;
  try {
    found = lstatSync(step.path);
  } catch (error) {
    return { ...subject, is: absence(error) };
  }
  const kind = kindOf(found);
  if (kind !== WANTED[step.kind]) return { ...subject, is: `${kind}, should be ${WANTED[step.kind]}` };
  if (step.kind === 'link') return { ...subject, target: { actual: readlinkSync(step.path), wanted: step.target } };
  const access = accessDifference(found, step.kind === 'file' ? step.image : step);
  const content = step.kind === 'file' ? await contentDifference(step, found, show) : undefined;
  return access === undefined && content === undefined ? undefined : { ...subject, ...content, ...access };
}

const WANTED = { file: 'a file', directory: 'a directory', link: 'a link' } as const;

async function contentDifference(
  { dest, path, image }: FileStep,
  found: Stats,
  show: Show,
): Promise<Pick<Difference, 'is' | 'content'> | undefined> {
  let actual: Bytes;
  try {
    actual = readContent(path);
    if (isSameContent(actual, image.content)) return undefined;
  } catch (error) {
    return { is: `a file that cannot be read (${messageOf(error)})` };
  }
  // The values are hidden if either content is not world-readable.
  const isPrivate = (image.mode & found.mode & 0o004) === 0;
  return { content: await show({ dest, actual, wanted: image.content, isPrivate }) };
}

function absence(error: unknown): string {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : `not accessible (${messageOf(error)})`;
}

function kindOf(found: Stats): string {
  if (found.isFile()) return 'a file';
  if (found.isDirectory()) return 'a directory';
  return found.isSymbolicLink() ? 'a link' : 'a device, pipe or socket';
}

function accessDifference(found: Stats, { mode, uid, gid }: Access): Pick<Difference, 'mode' | 'owner'> | undefined {
  const isMode = (found.mode & 0o7777) === mode;
  const isOwner = hasOwner(found, { uid, gid });
  if (isMode && isOwner) return undefined;
  const id = (wanted: number) => (wanted === -1 ? '*' : String(wanted));
  return defined({
    mode: isMode ? undefined : { actual: octal(found.mode & 0o7777), wanted: octal(mode) },
    owner: isOwner ? undefined : { actual: `${found.uid}:${found.gid}`, wanted: `${id(uid)}:${id(gid)}` },
  });
}
