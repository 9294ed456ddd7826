interface Hint {
  readonly errnos: readonly number[];
  /** What the server's text must hold besides, where the number means more than one thing. */
  readonly text?: RegExp;
  readonly means: string;
}

const HINTS: readonly Hint[] = [
  {
    errnos: [1290, 1836],
    text: /read[-_ ]only/i,
    means:
      'the server only lets itself be read (read_only): it is a replica, or somebody has made it so. Use the primary, or SET GLOBAL read_only=0 there',
  },
  {
    errnos: [1419],
    means: 'triggers need SET GLOBAL log_bin_trust_function_creators=1 where the server writes a binary log',
  },
];

const FULL_ERRNOS = new Set([1021, 1114]);
const FULL_TEXT = /no space left|err(?:no|code)?:? "?28\b|is full|no more room/i;
const FULL =
  "the disk of the server's data or temporary files is full: make room there. What it had begun may be half applied";

/**
 * What an error of the server means for whoever runs it, and what to do; undefined where its own words say it.
 * @param text the server's words
 */
export function hintOf(errno: number, text: string): string | undefined {
  if (FULL_ERRNOS.has(errno) || FULL_TEXT.test(text)) return FULL;
  return HINTS.find((hint) => hint.errnos.includes(errno) && hint.text?.test(text) !== false)?.means;
}
