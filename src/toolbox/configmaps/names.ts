import { createHash } from 'node:crypto';

/**
 * Maximum length of a file's name in an object's name. With the service's name (63) and the hashes, the result stays
 * below 253.
 */
const MOST_CHARACTERS = 120;
const PATH_DIGITS = 8;
const VERSION_DIGITS = 10;

/** Characters that are kept in an object's name: lower case, digits, dashes and dots, as in RFC 1123. */
const EXACT_NAME = /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/;
/** Keys of data that the API server accepts. */
const EXACT_KEY = /^[-._a-zA-Z0-9]+$/;
/** The suffix of a generated name, for which a file's own name must not be mistaken. */
const LOOKS_MADE = new RegExp(`-[0-9a-f]{${PATH_DIGITS}}$`);

/**
 * The part of an object's name for a path: `ml2_conf.ini` is `ml2-conf.ini-` plus a digest of the path. It is unique
 * for each path.
 */
export function fileName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_NAME.test(path) && !LOOKS_MADE.test(path);
  return isExact ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** Like fileName(), for a versioned object, whose name has a digest of all paths and contents. */
export function slug(path: string): string {
  const words = path.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  const labels = words.split('.').map((label) => label.replaceAll(/^-+|-+$/g, ''));
  const name = labels.filter((label) => label !== '').join('.');
  return name.slice(0, MOST_CHARACTERS).replaceAll(/[-.]+$/g, '') || 'file';
}

/** A key in `data` for a path, unique for each path. */
export function keyName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_KEY.test(path) && !path.startsWith('..') && path !== '.';
  return isExact && !LOOKS_MADE.test(path) ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** A digest of the files' paths and contents in their order. It is short, because it is part of a name. */
export function versionOf(files: readonly { readonly path: string; readonly bytes: Buffer }[]): string {
  return digest(
    files.flatMap(({ path, bytes }) => [path, bytes]),
    VERSION_DIGITS,
  );
}

function digest(parts: readonly (string | Buffer)[], digits: number): string {
  const hash = createHash('sha256');
  // Each part is preceded by its length, so that two parts cannot be mistaken for one.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, digits);
}
