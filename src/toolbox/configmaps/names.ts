import { createHash } from 'node:crypto';

/** Of a file's name in an object's name: with the service's own (63) and the hashes it stays below 253. */
const MOST_CHARACTERS = 120;
const PATH_DIGITS = 8;
const VERSION_DIGITS = 10;

/** What stands for itself in an object's name: small letters, digits, dashes and dots, as RFC 1123 has them. */
const EXACT_NAME = /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/;
/** What the API server takes for a key of data. */
const EXACT_KEY = /^[-._a-zA-Z0-9]+$/;
/** So ends a name that we made of another; one that a file has by itself must not be taken for it. */
const LOOKS_MADE = new RegExp(`-[0-9a-f]{${PATH_DIGITS}}$`);

/** The part of an object's name that stands for a path: `ml2_conf.ini` is `ml2-conf.ini-` and a digest of the path. No two paths share one. */
export function fileName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_NAME.test(path) && !LOOKS_MADE.test(path);
  return isExact ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** The same for a versioned name, in which the version's digest tells paths apart. */
export function slug(path: string): string {
  const words = path.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  const labels = words.split('.').map((label) => label.replaceAll(/^-+|-+$/g, ''));
  const name = labels.filter((label) => label !== '').join('.');
  return name.slice(0, MOST_CHARACTERS).replaceAll(/[-.]+$/g, '') || 'file';
}

/** A key of `data` for a path; no two paths share one. */
export function keyName(path: string): string {
  const isExact = path.length <= MOST_CHARACTERS && EXACT_KEY.test(path) && !path.startsWith('..') && path !== '.';
  return isExact && !LOOKS_MADE.test(path) ? path : `${slug(path)}-${digest([path], PATH_DIGITS)}`;
}

/** Tells versions apart: the files' paths and contents, in that order. Short, since it is part of a name. */
export function versionOf(files: readonly { readonly path: string; readonly bytes: Buffer }[]): string {
  return digest(
    files.flatMap(({ path, bytes }) => [path, bytes]),
    VERSION_DIGITS,
  );
}

function digest(parts: readonly (string | Buffer)[], digits: number): string {
  const hash = createHash('sha256');
  // With its length before it, no part can run into the next.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, digits);
}
