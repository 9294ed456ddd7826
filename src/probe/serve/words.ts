/**
 * The words of a line as a shell splits it: blanks part them, quotes and backslashes keep them together. Nothing is
 * expanded: no shell runs, and `$` and `*` stand for themselves.
 * @throws RangeError for a quote that does not end
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const parts = /\s+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(['"\\])/g;
  for (const [, single, double, escaped, plain, stray] of line.matchAll(parts)) {
    if (stray !== undefined)
      throw new RangeError(stray === '\\' ? 'ends with a backslash' : `has a ${stray} without an end`);
    // In double quotes a backslash is itself, but before what would end or expand there.
    const text = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
