import { bounded } from '#bounded';
import { each, isTrue, text } from '../python/values.ts';
import { pythonRegExp } from '../python/regex.ts';

interface ExcludeOptions {
  /** The pattern's name in messages about an invalid pattern. */
  readonly place: string;
  /** Start of the message about a pattern that takes too long; the process then exits with `code`. */
  readonly limited: string;
  readonly code: number;
}

/**
 * Whether an entry with this `exclude` skips a path: as in Kolla, only if all of its (Python) patterns match, and
 * patterns after the first one that does not match are not evaluated. Throws, with place and reason, for an invalid
 * pattern.
 */
export function excluder(exclude: unknown, { place, limited, code }: ExcludeOptions): (path: string) => boolean {
  if (!isTrue(exclude)) return () => false;
  const known = new Map<unknown, RegExp>();
  const compiled = (pattern: unknown) => {
    const regExp = known.get(pattern) ?? pythonRegExp(text(pattern, place));
    known.set(pattern, regExp);
    return regExp;
  };
  const isFound = (path: string) => each(exclude, place).every((pattern) => compiled(pattern).test(path));
  return (path) =>
    bounded(() => isFound(path), `${limited}: exclude takes too long for ${path}: make it simpler`, code);
}

/** Throws for an invalid pattern. */
export function checkExclude(exclude: unknown, place: string): void {
  if (isTrue(exclude)) for (const pattern of each(exclude, place)) pythonRegExp(text(pattern, place));
}
