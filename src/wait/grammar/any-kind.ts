import type { Dependency } from '../dependency/dependency.ts';
import { ANY, KINDS } from '../kinds/index.ts';
import { parseWith } from './parse.ts';

/**
 * Parses one dependency of any kind.
 * @throws UsageError with the column and the nearest valid word
 */
export function parseDependency(text: string): Dependency {
  return parseWith({ kinds: KINDS, any: ANY }, text);
}
