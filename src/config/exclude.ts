import { ExitCode } from '../core/errors.ts';
import { bounded } from './bounded.ts';
import { each, isTrue, text } from './set-configs/python.ts';
import { pythonRegExp } from './set-configs/python-regex.ts';

/**
 * Whether an entry with this `exclude` skips a path: as in Kolla, only if all of its (Python) patterns match. Throws,
 * with place and reason, for an invalid pattern.
 * @param entry config.json's, for a pattern that takes too long
 */
export function excluder(exclude: unknown, place: string, entry: string): (path: string) => boolean {
  if (!isTrue(exclude)) return () => false;
  const patterns = each(exclude, place).map((pattern) => pythonRegExp(text(pattern, place)));
  const limit = (path: string) => `${entry}: exclude takes too long for ${path}: make it simpler`;
  return (path) => bounded(() => patterns.every((pattern) => pattern.test(path)), limit(path), ExitCode.badConfig);
}
