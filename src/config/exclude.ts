import { ExitCode } from '../core/errors.ts';
import { bounded } from './bounded.ts';
import { each, isTrue, text } from './set-configs/python.ts';
import { pythonRegExp } from './set-configs/python-regex.ts';

/**
 * Whether a path of config.json is left alone by an entry with this `exclude`: as with Kolla, only if every one of its
 * patterns (Python's) is found in it. Throws, with place and reason, for what is no pattern.
 * @param entry config.json's, for a pattern that takes too long
 */
export function excluder(exclude: unknown, place: string, entry: string): (path: string) => boolean {
  if (!isTrue(exclude)) return () => false;
  const patterns = each(exclude, place).map((pattern) => pythonRegExp(text(pattern, place)));
  const limit = (path: string) => `${entry}: exclude takes too long for ${path}: make it simpler`;
  return (path) => bounded(() => patterns.every((pattern) => pattern.test(path)), limit(path), ExitCode.badConfig);
}
