import { each, isTrue, text } from './set-configs/python.ts';
import { pythonRegExp } from './set-configs/python-regex.ts';

/**
 * Whether a path of config.json is left alone by an entry with this `exclude`: as with Kolla, only if every one of its
 * patterns (Python's) is found in it. Throws, with place and reason, for what is no pattern.
 */
export function excluder(exclude: unknown, place: string): (path: string) => boolean {
  if (!isTrue(exclude)) return () => false;
  const patterns = each(exclude, place).map((pattern) => pythonRegExp(text(pattern, place)));
  return (path) => patterns.every((pattern) => pattern.test(path));
}
