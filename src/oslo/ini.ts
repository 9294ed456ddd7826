import { defined } from '../core/defined.ts';

/** One line of a file for oslo.config, with the section that it is in. */
export interface OsloLine {
  readonly kind: 'blank' | 'comment' | 'header' | 'option' | 'continuation';
  /** Without its line end. */
  readonly text: string;
  readonly ending: string;
  /** Before the first header: DEFAULT. */
  readonly section: string;
  /** Of an option. */
  readonly key?: string;
}

/**
 * A file's lines as oslo.config takes them; joined, they are the file again.
 * @throws RangeError with the line's number, never its text, for what oslo.config would not read
 */
export function osloLines(content: string): OsloLine[] {
  const lines: OsloLine[] = [];
  let section = 'DEFAULT';
  let isOpen = false;
  for (const [i, [whole]] of [...content.matchAll(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g)].entries()) {
    const text = /^[^\r\n]*/.exec(whole)?.[0] ?? '';
    const line = { text, ending: whole.slice(text.length) };
    const kind = kindOf(text.trimEnd(), i + 1, isOpen);
    if (kind === 'header') section = text.trimEnd().slice(1, -1);
    isOpen = kind === 'option' || kind === 'continuation';
    const key = kind === 'option' ? text.slice(0, text.search(/[=:]/)).trim() : undefined;
    lines.push({ kind, ...line, section, ...defined({ key }) });
  }
  return lines;
}

function kindOf(line: string, number: number, isOpen: boolean): OsloLine['kind'] {
  if (line === '') return 'blank';
  if (/^[ \t]/.test(line)) {
    if (isOpen) return 'continuation';
    throw new RangeError(`line ${number} is indented, but there is no value above to go on with`);
  }
  if (line.startsWith('[')) {
    if (line.endsWith(']') && line.length > 2) return 'header';
    throw new RangeError(`line ${number} is not a [section]`);
  }
  if (/^[#;]/.test(line)) return 'comment';
  const divider = line.search(/[=:]/);
  if (divider > 0 && line.slice(0, divider).trim() !== '') return 'option';
  throw new RangeError(`line ${number} is not KEY = VALUE`);
}

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
