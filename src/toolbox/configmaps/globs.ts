import { UsageError } from '../../core/errors.ts';
import { segmentRegExp } from '../../config/tree/glob.ts';
import type { Secrecy } from './secrecy.ts';

/** The reason if the user requested a ConfigMap. */
export const SAID_PLAIN = 'by --plain';
const SAID_SECRET = 'by --secret';

interface Chooser {
  /** Matches a file, or a directory with its content. */
  readonly isExcluded: (path: string) => boolean;
  /** What the user decided about a file; undefined if nothing. */
  saidOf(path: string): Secrecy | undefined;
  /** Throws UsageError if a --secret has no match, because a typo would expose a password. */
  checkUsed(dir: string): void;
}

export interface Patterns {
  readonly secret: readonly string[];
  readonly plain: readonly string[];
  readonly exclude: readonly string[];
}

/**
 * The decisions that the three options express.
 * @throws UsageError for a pattern that cannot match
 */
export function chooser({ secret, plain, exclude }: Patterns): Chooser {
  const [secrets, plains, excluded] = [secret, plain, exclude].map((patterns) => patterns.map(matcher));
  const used = new Set<string>();
  return {
    isExcluded(path) {
      const names = path.split('/');
      const above = names.map((_, i) => names.slice(0, i + 1).join('/'));
      return above.some((each) => excluded!.some(({ matches }) => matches(each)));
    },
    saidOf(path) {
      const matching = secrets!.filter(({ matches }) => matches(path));
      for (const { pattern } of matching) used.add(pattern);
      if (matching.length > 0) return { isSecret: true, why: SAID_SECRET };
      return plains!.some(({ matches }) => matches(path)) ? { isSecret: false, why: SAID_PLAIN } : undefined;
    },
    checkUsed(dir) {
      const unused = secret.find((pattern) => !used.has(pattern));
      if (unused !== undefined) throw new UsageError(`configmaps: --secret ${unused}: no such file in ${dir}`);
    },
  };
}

interface Matcher {
  readonly pattern: string;
  readonly matches: (path: string) => boolean;
}

/**
 * Compiles a pattern. Without a slash, it matches file names in any directory; with a slash, it matches paths component
 * by component.
 */
function matcher(pattern: string): Matcher {
  const segments = pattern.split('/');
  if (segments.includes('') || segments.includes('..'))
    throw new UsageError(`configmaps: '${pattern}' is not a pattern for files in the directory: no empty parts, no ..`);
  const parts = segments.map(segmentRegExp);
  return {
    pattern,
    matches(path) {
      const names = path.split('/');
      const compared = parts.length === 1 ? names.slice(-1) : names;
      return compared.length === parts.length && parts.every((part, i) => part.test(compared[i] ?? ''));
    },
  };
}
