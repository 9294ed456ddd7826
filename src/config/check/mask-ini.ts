import { isIP } from 'node:net';
import { isCredential, mentionsCredential } from '../../core/credential.ts';
import { osloLines, type OsloLine } from '../../oslo/ini.ts';

/** Option and section names in OpenStack's style. Anything else in place of a name may be a secret. */
const SECTION = /^[A-Za-z_][\w.:\-/ ]{0,63}$/;
const KEY = /^[A-Za-z_][\w.-]{0,63}$/;
/** Names that contain `token` although their values are mostly addresses. */
const HARMLESS_SECTION = 'keystone_authtoken';

/**
 * An INI text with possible secrets replaced by `<digest:1a2b3c4d>`: values under a secret's name or in such a section,
 * URLs with user info, comments about them; with `all`, every comment, and all values except booleans, small numbers
 * and IP addresses under other names. Undefined unless the text is certainly INI: sections first, then options, all
 * with ordinary names.
 */
export function maskIni(text: string, all: boolean, digest: (value: string) => string): string | undefined {
  const lines = parsed(text);
  if (lines === undefined) return undefined;
  const mask = (value: string) => `<digest:${digest(value)}>`;
  const masked: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.kind === 'comment') {
      masked.push(all || mentionsCredential(line.text) ? `${line.text.charAt(0)} ${mask(line.text)}` : line.text);
    } else if (line.kind === 'option') {
      let end = i + 1;
      while (lines[end]?.kind === 'continuation') end++;
      const more = lines.slice(i + 1, end);
      i += more.length;
      masked.push(...optionLines(line, more, all, mask));
    } else masked.push(line.kind === 'blank' ? '' : line.text.trimEnd());
  }
  return masked.map((line) => `${line}\n`).join('');
}

function optionLines(
  { text, key = '', section }: OsloLine,
  more: readonly OsloLine[],
  all: boolean,
  mask: (value: string) => string,
): string[] {
  const divider = text.search(/[=:]/);
  const value = [text.slice(divider + 1), ...more.map((line) => line.text)].map((part) => part.trim()).join('\n');
  const isSecret =
    isCredential(key) || (section !== HARMLESS_SECTION && isCredential(section)) || mentionsCredential(value);
  if (isSecret || (all && !isHarmless(value))) return [`${key} = ${mask(value)}`];
  return [text.trimEnd(), ...more.map((line) => line.text.trimEnd())];
}

/** Values that cannot be secrets: booleans, port-like numbers, addresses. */
function isHarmless(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|\d{1,5})$/i.test(value) || isIP(value) !== 0;
}

function parsed(text: string): OsloLine[] | undefined {
  let lines: OsloLine[];
  try {
    lines = osloLines(text);
  } catch {
    return undefined;
  }
  const options = lines.filter(({ kind }) => kind === 'option');
  const headers = lines.filter(({ kind }) => kind === 'header');
  const [firstOption, firstHeader] = [options, headers].map((some) => (some[0] ? lines.indexOf(some[0]) : -1));
  const isPlain = headers.every((line) => SECTION.test(line.section)) && options.every(({ key = '' }) => KEY.test(key));
  // `[hunter2]` alone may also be a list in JSON or YAML.
  const inOrder = firstOption === -1 ? firstHeader === -1 : firstHeader !== -1 && firstHeader! < firstOption!;
  return isPlain && inOrder ? lines : undefined;
}
