/** A parsed sudo command line. */
export interface Request {
  /** A name or `#1000`; undefined means root. */
  readonly user?: string;
  readonly group?: string;
  /** Keep all variables, or those with these names. */
  readonly keep: 'all' | readonly string[];
  /** HOME is the target's, even if the caller's variables are kept. */
  readonly setHome: boolean;
  /** Variables from `sudo NAME=value command`. */
  readonly assigned: ReadonlyMap<string, string>;
  readonly words: readonly [string, ...string[]];
}

/** An unsupported call. The text is printed after `sudo: `. */
export class SudoUsageError extends Error {
  override name = 'SudoUsageError';
}

interface Building {
  user?: string;
  group?: string;
  keep: 'all' | string[];
  setHome: boolean;
}

const WITH_VALUE: Readonly<Record<string, 'user' | 'group' | 'ignored'>> = {
  u: 'user',
  user: 'user',
  g: 'group',
  group: 'group',
  p: 'ignored',
  prompt: 'ignored',
};
/** sudo without root never asks for a password, so these options have no effect. */
const WITHOUT_MEANING = new Set(['n', 'non-interactive', 'S', 'stdin', 'k', 'reset-timestamp']);

/**
 * Parses the options used by scripts in images; as in sudo, they end at the first operand, or at `--`.
 * @throws SudoUsageError for an unsupported option, or without a command
 */
export function parseSudo(argv: readonly string[]): Request {
  const building: Building = { keep: [], setHome: false };
  const assigned = new Map<string, string>();
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') {
      at += 1;
      break;
    }
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(word) ?? [];
    if (name !== undefined && value !== undefined) assigned.set(name, value);
    else if (word.startsWith('--')) at += long(building, word.slice(2), argv[at + 1]);
    else if (word.startsWith('-') && word.length > 1) at += short(building, word.slice(1), argv[at + 1]);
    else break;
  }
  const [first, ...rest] = argv.slice(at);
  if (first === undefined) throw new SudoUsageError('a command is missing');
  return { ...building, assigned, words: [first, ...rest] };
}

/** Returns the number of additional arguments consumed. */
function long(building: Building, option: string, next: string | undefined): number {
  const [name = '', ...values] = option.split('=');
  const value = values.length > 0 ? values.join('=') : undefined;
  if (name === 'preserve-env') {
    if (value === undefined) building.keep = 'all';
    else if (building.keep !== 'all') building.keep.push(...value.split(',').filter(Boolean));
    return 0;
  }
  const kind = WITH_VALUE[name];
  if (kind !== undefined && name.length > 1) return set(building, kind, `--${name}`, value, next);
  if (name === 'set-home') building.setHome = true;
  else if (!WITHOUT_MEANING.has(name) || name.length === 1) throw unknown(`--${name}`);
  return 0;
}

/** Combined short options: `-EHu keystone`, `-ukeystone`. */
function short(building: Building, letters: string, next: string | undefined): number {
  for (const [i, letter] of letters.split('').entries()) {
    const kind = WITH_VALUE[letter];
    if (kind !== undefined) return set(building, kind, `-${letter}`, letters.slice(i + 1) || undefined, next);
    if (letter === 'E') building.keep = 'all';
    else if (letter === 'H') building.setHome = true;
    else if (!WITHOUT_MEANING.has(letter)) throw unknown(`-${letter}`);
  }
  return 0;
}

function set(
  building: Building,
  kind: 'user' | 'group' | 'ignored',
  option: string,
  value: string | undefined,
  next: string | undefined,
): number {
  const word = value ?? next;
  if (word === undefined || word === '') throw new SudoUsageError(`option ${option} needs a value`);
  if (kind !== 'ignored') building[kind] = word;
  return value === undefined ? 1 : 0;
}

function unknown(option: string): SudoUsageError {
  return new SudoUsageError(
    `option ${option} is not supported; there are -E, -H, -n, -u USER, -g GROUP, NAME=value, --`,
  );
}
