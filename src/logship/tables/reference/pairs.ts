import type { Member } from './json.ts';

const PAIR = /[ \t-\r]*([\w@.-]{1,64})=(?:"((?:[^"\\]|\\[^])*)"|([^ \t-\r"]*))(?=[ \t-\r]|$)/y;

/**
 * The pairs of logfmt at that index, `name=value name="value"`: at most `most`, up to what is no pair.
 * @returns the index after them
 */
export function pairsAt(
  bytes: Buffer,
  from: number,
  end: number,
  most: number,
): { readonly at: number; readonly members: readonly Member[] } {
  const text = bytes.toString('latin1', from, end);
  const members: Member[] = [];
  PAIR.lastIndex = 0;
  let at = 0;
  while (members.length < most) {
    const [, key, quoted, bare = ''] = PAIR.exec(text) ?? [];
    if (key === undefined) break;
    at = PAIR.lastIndex;
    const valueEnd = from + at - (quoted === undefined ? 0 : 1);
    members.push({ key, start: valueEnd - (quoted ?? bare).length, end: valueEnd });
  }
  return { at: from + at, members };
}
