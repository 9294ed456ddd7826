import { createHash } from 'node:crypto';

/** Of a file's name in an object's name: with the service's name (63) and the hashes it stays below 253. */
const MOST_CHARACTERS = 120;
const PATH_DIGITS = 8;
const VERSION_DIGITS = 10;

/** Characters kept in an object's name: lower case, digits, dashes and dots, as in RFC 1123. */
const EXACT_NAME = /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/;
/** Valid keys of data in the API server. */
const EXACT_KEY = /^[-._a-zA-Z0-9]+$/;
/** The suffix of a generated name; a file's own name must not be mistaken for one. */
const LOOKS_MADE = new RegExp(`-[0-9a-f]{${PATH_DIGITS}}$`);

/**
 * The part of an object's name for a path: `ml2_conf.ini` is `ml2-conf.ini-` plus a digest of the path. Unique per
 * path.
 */
export function fileName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_NAME.test(path) && !LOOKS_MADE.test(path);
  return isExact ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** The same for a versioned name, in which the version's digest distinguishes paths. */
export function slug(path: string): string {
  const words = path.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  const labels = words.split('.').map((label) => label.replaceAll(/^-+|-+$/g, ''));
  const name = labels.filter((label) => label !== '').join('.');
  return name.slice(0, MOST_CHARACTERS).replaceAll(/[-.]+$/g, '') || 'file';
}

/** A key of `data` for a path; unique per path. */
export function keyName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_KEY.test(path) && !path.startsWith('..') && path !== '.';
  return isExact && !LOOKS_MADE.test(path) ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** A digest of the files' paths and contents, in order. Short, since it is part of a name. */
export function versionOf(files: readonly { readonly path: string; readonly bytes: Buffer }[]): string {
  return digest(
    files.flatMap(({ path, bytes }) => [path, bytes]),
    VERSION_DIGITS,
  );
}

function digest(parts: readonly (string | Buffer)[], digits: number): string {
  const hash = createHash('sha256');
  // Length-prefixed, so that parts cannot run together.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, digits);
}
