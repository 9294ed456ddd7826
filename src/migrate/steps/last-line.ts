/** The prefix of oslo.log's lines, which each line of a traceback has too. */
const OSLO = /^\d{4}-\d\d-\d\d [\d:.]+ \d+ [A-Z]+ [\w.]+ ?(?:\[(?:-|req-|None )[^\]]*\] ?)?/;
/** What SQLAlchemy adds after an error. */
const APPENDIX = /^(?:\[parameters: |\(Background on this error at: )/;
const STATEMENT = '[SQL:';
/** What Python prints while it ends, with a traceback of its own. */
const IGNORED = /^Exception ignored in/;
const TRACEBACK = /^(?:Traceback \(most recent call last\)|\s)/;

/**
 * The line with which a tool's output ends, for people: without what libraries append to an error, which is a statement of
 * any length, an address, and Python's own trouble at its end.
 */
export class LastLine {
  #text = '';
  #isStatement = false;
  #isIgnored = false;

  /** @param line without secrets and control characters */
  add(line: string): void {
    const text = line.replace(OSLO, '').trimEnd();
    if (this.#isStatement || text.startsWith(STATEMENT)) this.#isStatement = !text.endsWith(']');
    else if (IGNORED.test(text)) this.#isIgnored = true;
    // The traceback's last line is not indented.
    else if (this.#isIgnored) this.#isIgnored = TRACEBACK.test(text);
    else if (text !== '' && !APPENDIX.test(text)) this.#text = text.trim();
  }

  toString(): string {
    return this.#text;
  }
}
