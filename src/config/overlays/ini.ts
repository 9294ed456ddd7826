import { osloLines, type OsloLine } from '../../oslo/ini.ts';

export interface OsloSetting {
  readonly section: string;
  readonly key: string;
  /** The value, on one line. */
  readonly value: string;
}

/**
 * Sets one option in an oslo.config file. Everything else is kept byte for byte. If the option exists, its last
 * occurrence is changed, since that one applies; else it is added after the section's last option, or as a new section
 * at the end. Idempotent.
 * @throws RangeError with the line number if oslo.config cannot parse the file
 */
export function setOsloOption(content: Buffer, setting: OsloSetting): Buffer {
  // Decoded as Latin-1, one character per byte: keeps invalid UTF-8 intact, and prevents Unicode spaces from being
  // treated as INI white space.
  const [section, key, value] = [setting.section, setting.key, quoted(setting.value)].map((text) =>
    Buffer.from(text, 'utf8').toString('latin1'),
  ) as [string, string, string];
  const lines = osloLines(content.toString('latin1'));
  const mine = lines.filter((line) => sameSection(line.section, section));
  const last = mine.findLast((line) => line.kind === 'option' && line.key === key);
  const written = last === undefined ? add(lines, mine, section, `${key} = ${value}`) : replace(lines, last, value);
  return Buffer.from(written, 'latin1');
}

function replace(lines: readonly OsloLine[], last: OsloLine, value: string): string {
  const from = lines.indexOf(last);
  // Continuation lines belong to the old value.
  const after = lines.findIndex((line, i) => i > from && line.kind !== 'continuation');
  const end = after === -1 ? lines.length : after;
  // The line ending of the value's last line, since the file may end without one.
  const ending = lines[end - 1]?.ending ?? '';
  const head = /^[^=:]*[=:][ \t]*/.exec(last.text)?.[0] ?? '';
  const blank = /[ \t][=:]$/.test(head) && value !== '' ? ' ' : '';
  return join(lines.slice(0, from)) + head + blank + value + ending + join(lines.slice(end));
}

function add(lines: readonly OsloLine[], mine: readonly OsloLine[], section: string, line: string): string {
  const ending = lines.find((one) => one.ending !== '')?.ending ?? '\n';
  const after = mine.findLast(({ kind }) => kind === 'header' || kind === 'option' || kind === 'continuation');
  if (after === undefined) {
    const before = join(lines);
    const gap = before === '' ? '' : before.endsWith('\n') || before.endsWith('\r') ? ending : ending + ending;
    return `${before}${gap}[${section}]${ending}${line}${ending}`;
  }
  const at = lines.indexOf(after) + 1;
  const before = join(lines.slice(0, at));
  // If the file ends without a line ending, so does the new line.
  return after.ending === '' ? before + ending + line : before + line + ending + join(lines.slice(at));
}

function join(lines: readonly OsloLine[]): string {
  return lines.map(({ text, ending }) => text + ending).join('');
}

/** oslo.config's section names are case-insensitive, except for DEFAULT. */
function sameSection(a: string, b: string): boolean {
  const normal = (name: string) => (name === 'DEFAULT' ? name : name.toLowerCase());
  return normal(a) === normal(b);
}

/** The value in quotes if necessary: oslo.config strips spaces and one pair of quotes around a value. */
function quoted(value: string): string {
  const hasQuotes = /^["']/.test(value) && value.endsWith(value.charAt(0));
  return value !== value.trim() || hasQuotes ? `"${value}"` : value;
}
