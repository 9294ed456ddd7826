import { stripVTControlCharacters } from 'node:util';

/** Redacts secrets in text from other programs. */
export type Redact = (text: string) => string;

const SHORTEST_PART = 4;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001F\u007F]/g;
const NAMED: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/**
 * Replaces each secret with `***`, including percent-encoded (URL), JSON, SQL and Python forms, and each line of a
 * multi-line secret. Longest first, so that no part of a longer one remains.
 * @param secrets empty secrets are skipped
 */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret === '') continue;
    spellings.add(secret);
    spellings.add(JSON.stringify(secret).slice(1, -1));
    for (const escaped of [/[\\]/g, /[\\']/g, /[\\"]/g, /[\\'"]/g]) {
      const spelling = secret.replaceAll(escaped, String.raw`\$&`);
      spellings.add(spelling);
      spellings.add(spelling.replaceAll(CONTROL, asEscape));
    }
    spellings.add(percentEncoded(secret));
    spellings.add(stripVTControlCharacters(secret));
    // Minimum length of a line: shorter lines would match ordinary words.
    for (const line of secret.split(/[\r\n]+/)) if (line.length >= SHORTEST_PART) spellings.add(line);
  }
  spellings.delete('');
  const hidden = [...spellings].toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** Like Python's quote_plus() without the plus: only letters, digits, `_`, `.`, `-` and `~` are not encoded. */
function percentEncoded(text: string): string {
  return Buffer.from(text, 'utf8').reduce((all, byte) => {
    const character = String.fromCharCode(byte);
    return all + (/[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
  }, '');
}

/** Python's escape of a character. */
function asEscape(character: string): string {
  return NAMED[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
