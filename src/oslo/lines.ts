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
    lines.push({ kind, ...line, section, ...(key === undefined ? {} : { key }) });
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
