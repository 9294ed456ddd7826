/** The option file of a client, by option name (with dashes). */
export type Defaults = ReadonlyMap<string, string>;

/** The groups that the command-line clients of MariaDB and MySQL read. */
const GROUPS = new Set(['mysql', 'mariadb-client', 'client', 'client-server', 'client-mariadb']);

/**
 * Parses an option file (`--defaults-file`) like the client: only its groups, the last occurrence of an option applies,
 * `_` is `-`, a comment starts with `;` or `#` or follows a `#`, quotes around a value are removed, a backslash
 * escapes. `!include` is not followed.
 * @throws RangeError with the line number, never its text: it may contain a password
 */
export function parseDefaults(text: string): Defaults {
  const found = new Map<string, string>();
  let isOurs = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || /^[#;!]/.test(line)) continue;
    const group = /^\[([^\]]*)\]/.exec(line)?.[1];
    if (group !== undefined) {
      isOurs = GROUPS.has(group.trim());
      continue;
    }
    if (line.startsWith('[')) throw new RangeError(`line ${index + 1} begins a group that does not end`);
    if (!isOurs) continue;
    const [, name = '', value] = /^([\w-]+)\s*(?:=\s*([^]*))?$/.exec(withoutComment(line)) ?? [];
    if (name === '') throw new RangeError(`line ${index + 1} is not NAME=VALUE`);
    found.set(
      name
        .toLowerCase()
        .replaceAll('_', '-')
        .replace(/^loose-/, ''),
      value === undefined ? '' : plain(value),
    );
  }
  return found;
}

/** A `#` in quotes belongs to the value. */
function withoutComment(line: string): string {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== '') at++;
    else if (quote === '' && character === '#') return line.slice(0, at).trimEnd();
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return line;
}

const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  s: ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

function plain(value: string): string {
  const inner = /^(["'])([^]*)\1$/.exec(value)?.[2] ?? value;
  return inner.replaceAll(/\\([^])/g, (both, character: string) => ESCAPED[character] ?? both);
}
