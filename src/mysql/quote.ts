/** Quotes an identifier with backticks. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

const ESCAPES: Readonly<Record<string, string>> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\u001A': '\\Z' };

/**
 * Quotes a string literal for statements without parameters (CREATE USER). It is correct only in sessions with
 * backslash escapes, which connect() sets.
 */
export function quoteText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return `'${text.replaceAll(/[\0\n\r\u001A'\\]/g, (c) => ESCAPES[c] ?? `\\${c}`)}'`;
}

/** Quotes a database's name for GRANT, which takes a pattern in which `_` and `%` are wildcards. */
export function quotePattern(database: string): string {
  return quoteName(database.replaceAll(/[\\_%]/g, String.raw`\$&`));
}

/** An account as `'user'@'host'`. */
export function quoteAccount(user: string, host: string): string {
  return `${quoteText(user)}@${quoteText(host)}`;
}
