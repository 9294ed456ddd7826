/** Hides secrets in a text that others wrote. */
export type Redact = (text: string) => string;

/**
 * Replaces each secret by `***`, also where it stands percent-encoded (in a URL), as JSON would write it, or with its
 * quotes and backslashes escaped (in SQL and Python). The longest first, so that none shows through another's rest.
 * @param secrets empty ones are passed over
 */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret === '') continue;
    spellings.add(secret);
    spellings.add(JSON.stringify(secret).slice(1, -1));
    spellings.add(secret.replaceAll(/['"\\]/g, String.raw`\$&`));
    spellings.add(secret.replaceAll('\\', '\\\\'));
    spellings.add(percentEncoded(secret));
  }
  const hidden = [...spellings].toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** As Python's quote_plus() without its plus: only letters, digits, `_`, `.`, `-` and `~` stand for themselves. */
function percentEncoded(text: string): string {
  return Buffer.from(text, 'utf8').reduce((all, byte) => {
    const character = String.fromCharCode(byte);
    return all + (/[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  }, '');
}
