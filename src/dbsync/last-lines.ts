const LINES = 20;
const CHARACTERS = 4000;

/** Keeps a command's last lines, for its record: few enough to read, and to lie in a row of a table. */
export class LastLines {
  #lines: string[] = [];

  /** @param line as it may be shown: without secrets and control characters */
  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
  }

  /** The end of it, at most 20 lines and 4,000 characters. */
  toString(): string {
    const text = this.#lines.join('\n');
    // Not through the middle of a character that takes two.
    return text.length <= CHARACTERS ? text : text.slice(-CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '');
  }
}
