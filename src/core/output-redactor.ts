import { isCredential } from './credential.ts';
import { redactor, type Redact } from './redact.ts';

/** Minimum length: shorter values would match ordinary words. */
const SHORTEST_SECRET = 4;

/**
 * The separator between a name and its value, together with the name: `password=`, `"key": `, `\"token\": `, `psk => `.
 * A bounded lookbehind from the separator keeps the run time linear in the length of a line.
 */
const DIVIDER = /[=:](?<=([\w.-]{1,200})(\\{0,9}["']?\s{0,200})[=:])[=>]?\s{0,200}/g;
const BLANK = /\s/g;
const OPENING_QUOTE = /[bru]{0,2}(\\{0,9})(["'])/iy;
/** HTTP headers. Their values may contain spaces, as may values that start with an authentication scheme. */
const HEADER = /(?:^|-)(?:authorization|cookie)$/i;
const SCHEME = /(?:basic|bearer|digest|negotiate|ntlm|token)\s/iy;

/** Redacts a command's output: values of secret environment variables, user info in URLs, and `password = value`. */
export function outputRedactor(env: NodeJS.ProcessEnv): Redact {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    isCredential(name) && value.length >= SHORTEST_SECRET ? [value] : [],
  );
  const known = redactor(secrets);
  return (line) => withoutValues(withoutUsers(known(line)));
}

/** A password may contain any character, so the text up to the last @ before the next space is redacted. */
function withoutUsers(line: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = line.indexOf('://'); at !== -1;) {
    const start = at + '://'.length;
    const end = blankFrom(line, start);
    const length = line.slice(start, end).lastIndexOf('@');
    if (length !== -1) {
      parts.push(line.slice(done, start), '***');
      done = start + length;
    }
    at = line.indexOf('://', end);
  }
  return parts.join('') + line.slice(done);
}

/** Redacts the value after a secret's name: to the closing quote, else to the next space, or to the end of a header. */
function withoutValues(line: string): string {
  const parts: string[] = [];
  let done = 0;
  DIVIDER.lastIndex = 0;
  for (let found = DIVIDER.exec(line); found !== null; found = DIVIDER.exec(line)) {
    const [divider, name = '', between = ''] = found;
    const start = DIVIDER.lastIndex;
    if (start === line.length || !isCredential(name)) continue;
    const before = line[found.index - between.length - name.length - 1] ?? '';
    const isOpen = (before === '"' || before === "'") && !between.includes(before);
    const end = valueEnd(line, start, divider.startsWith(':') && HEADER.test(name), isOpen ? before : undefined);
    parts.push(line.slice(done, start), '***');
    done = end;
    DIVIDER.lastIndex = end;
  }
  return parts.join('') + line.slice(done);
}

/** @param quote the quote that was opened before the name; it ends a value that contains spaces */
function valueEnd(line: string, start: number, isHeader: boolean, quote: string | undefined): number {
  OPENING_QUOTE.lastIndex = start;
  const opening = OPENING_QUOTE.exec(line);
  if (opening !== null) return closingQuote(line, OPENING_QUOTE.lastIndex, opening[2]!, opening[1]!.length);
  SCHEME.lastIndex = start;
  if (!isHeader && !SCHEME.test(line)) return blankFrom(line, start);
  const end = quote === undefined ? -1 : line.indexOf(quote, start);
  return end === -1 ? line.length : end;
}

/** A quote with the same number of backslashes as the opening one; any other is part of the value. */
function closingQuote(line: string, start: number, quote: string, backslashes: number): number {
  for (let at = line.indexOf(quote, start); at !== -1; at = line.indexOf(quote, at + 1)) {
    let first = at;
    while (first > start && line[first - 1] === '\\') first--;
    if (at - first === backslashes) return at + 1;
  }
  return line.length;
}

function blankFrom(line: string, start: number): number {
  BLANK.lastIndex = start;
  return BLANK.test(line) ? BLANK.lastIndex - 1 : line.length;
}
