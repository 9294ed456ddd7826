import { isCredential } from './credential.ts';
import { redactor, type Redact } from './redact.ts';

/** A shorter value would be found in words that mean nothing. */
const SHORTEST_SECRET = 4;

/**
 * What divides a name from its value, with the name before it: `password=`, `"key": `, `\"token\": `, `psk => `. It looks
 * back from the divider, and only so far: a long line, whatever is in it, is gone through once.
 */
const DIVIDER = /[=:](?<=([\w.-]{1,200})(\\{0,9}["']?\s{0,200})[=:])[=>]?\s{0,200}/g;
const BLANK = /\s/g;
const OPENING_QUOTE = /[bru]{0,2}(\\{0,9})(["'])/iy;
/** Of HTTP, whose values have spaces in them; and so have those that begin with a scheme, under whatever name. */
const HEADER = /(?:^|-)(?:authorization|cookie)$/i;
const SCHEME = /(?:basic|bearer|digest|negotiate|ntlm|token)\s/iy;

/** Hides in a command's output what the environment holds under a secret's name, users in URLs, and `password = value`. */
export function outputRedactor(env: NodeJS.ProcessEnv): Redact {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    isCredential(name) && value.length >= SHORTEST_SECRET ? [value] : [],
  );
  const known = redactor(secrets);
  return (line) => withoutValues(withoutUsers(known(line)));
}

/** A password may have any character in it: what stands before the last @ up to the next space. */
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

/** What stands behind a secret's name: in quotes, to their end; else to the next space, or as far as a header goes. */
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

/** @param quote that stands open before the name: it ends what has spaces in it */
function valueEnd(line: string, start: number, isHeader: boolean, quote: string | undefined): number {
  OPENING_QUOTE.lastIndex = start;
  const opening = OPENING_QUOTE.exec(line);
  if (opening !== null) return closingQuote(line, OPENING_QUOTE.lastIndex, opening[2]!, opening[1]!.length);
  SCHEME.lastIndex = start;
  if (!isHeader && !SCHEME.test(line)) return blankFrom(line, start);
  const end = quote === undefined ? -1 : line.indexOf(quote, start);
  return end === -1 ? line.length : end;
}

/** Behind a quote with as many backslashes before it as the first had: with others it is part of the value. */
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
