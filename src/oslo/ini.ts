import { defined } from '../core/defined.ts';

/** One line in an oslo.config file, with its section. */
export interface OsloLine {
  readonly kind: 'blank' | 'comment' | 'header' | 'option' | 'continuation';
  /** The text without its line ending. */
  readonly text: string;
  readonly ending: string;
  /** The section; before the first header it is DEFAULT. */
  readonly section: string;
  /** The name, if the line sets an option. */
  readonly key?: string;
}

/**
 * A file's lines as parsed by oslo.config; joined, they are the file again.
 * @throws RangeError with the line number, never its text, if oslo.config cannot parse it
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
    throw new RangeError(`line ${number} is indented, but there is no value above to continue`);
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
 * The raw value of one option in an oslo.config file: the last occurrence applies, a section may be repeated, an
 * indented line continues the value above, quotes around the whole value are removed, and the first of `=` and `:` is
 * the separator. osloValue() expands its `$`.
 * @returns undefined if the file has no such option
 * @throws RangeError with the line number, never its text: it may contain a password
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
