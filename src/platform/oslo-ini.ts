/**
 * The value of one option in a file for oslo.config, read as oslo.config reads it: the last one wins, a section may
 * come twice, an indented line goes on with the value above, quotes around the whole value fall away, and the first
 * of `=` and `:` divides. `%` and `$` stay as they are.
 * @returns undefined when the file has no such option
 * @throws RangeError with the line's number, never its text: the line may hold a password
 */
export function osloOption(text: string, section: string, key: string): string | undefined {
  let current = 'DEFAULT';
  let found: string | undefined;
  let open: 'none' | 'other' | 'ours' = 'none';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trimEnd();
    if (line === '') {
      open = 'none';
    } else if (/^[ \t]/.test(line)) {
      if (open === 'none')
        throw new RangeError(`line ${index + 1} is indented, but there is no value above to go on with`);
      if (open === 'ours') found += `\n${line.trimStart()}`;
    } else if (line.startsWith('[')) {
      if (!line.endsWith(']') || line === '[]') throw new RangeError(`line ${index + 1} is not a [section]`);
      current = line.slice(1, -1);
      open = 'none';
    } else if (line.startsWith('#') || line.startsWith(';')) {
      open = 'none';
    } else {
      const divider = line.search(/[=:]/);
      if (divider < 1) throw new RangeError(`line ${index + 1} is not KEY = VALUE`);
      const isOurs = current === section && line.slice(0, divider).trim() === key;
      if (isOurs) found = unquoted(line.slice(divider + 1).trim());
      open = isOurs ? 'ours' : 'other';
    }
  }
  return found;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
