import { osloLines } from './lines.ts';

/**
 * What stands in a file for oslo.config as the value of one option: the last one wins, a section may come twice, an
 * indented line goes on with the value above, quotes around the whole value fall away, and the first of `=` and `:`
 * divides. What its `$` stand for, osloValue() says.
 * @returns undefined when the file has no such option
 * @throws RangeError with the line's number, never its text: the line may hold a password
 */
export function osloOption(text: string, section: string, key: string): string | undefined {
  const lines = osloLines(text);
  const at = lines.findLastIndex((line) => line.kind === 'option' && line.section === section && line.key === key);
  const found = lines[at];
  if (found === undefined) return undefined;
  const value = unquoted(found.text.slice(found.text.search(/[=:]/) + 1).trim());
  const more = lines.slice(at + 1);
  const end = more.findIndex(({ kind }) => kind !== 'continuation');
  return [value, ...(end === -1 ? more : more.slice(0, end)).map((line) => line.text.trim())].join('\n');
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
