const LINES = 20;
const CHARACTERS = 4000;
/**
 * `(1050, "Table 'role' already exists")`: how Python's drivers show an error of the server. No longer than the server
 * makes it: a line of 16 K that only begins so, again and again, must not keep us from renewing the lock.
 */
const SERVER_ERROR = /\((\d{4}), (["'])(.{1,512}?)\2\)/;

/** `Running upgrade 27e647c0fad4 -> 29e87d24a316, Add a table`: how alembic says what it begins. */
const UPGRADE = /Running upgrade [\w, ]*-> (\w+)(?:, (.*))?/;

/** One step of the schema's history. */
export interface Revision {
  readonly id: string;
  /** As its author calls it; may be empty. */
  readonly title: string;
}

/** What the database server answered to the command, in its words. */
export interface ServerError {
  readonly errno: number;
  readonly text: string;
}

/**
 * Keeps a command's last lines, for its record: few enough to read, and to lie in a row of a table. The first error of
 * the server is kept as well: after it a tool often shows the whole statement and a traceback.
 */
export class LastLines {
  #lines: string[] = [];
  #revision: Revision | undefined;
  #first: { readonly line: string; readonly error: ServerError } | undefined;

  /** @param line as it may be shown: without secrets and control characters */
  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
    if (this.#first !== undefined) return;
    const [, id, title = ''] = UPGRADE.exec(line) ?? [];
    if (id !== undefined) this.#revision = { id, title };
    const [, errno, , text] = SERVER_ERROR.exec(line) ?? [];
    if (errno !== undefined && text !== undefined)
      this.#first = { line, error: { errno: Number(errno), text: text.replaceAll(/\\(['"])/g, '$1') } };
  }

  /** What was being applied when the server's first error came, or last. */
  get revision(): Revision | undefined {
    return this.#revision;
  }

  get serverError(): ServerError | undefined {
    return this.#first?.error;
  }

  /** The end of it, at most 20 lines and 4,000 characters; before it the server's first error, if it is not there. */
  toString(): string {
    const isShown = this.#first === undefined || this.#lines.includes(this.#first.line);
    const head = isShown ? '' : `${this.#first?.line.slice(0, CHARACTERS / 4)}\n...\n`;
    const text = this.#lines.join('\n');
    const room = CHARACTERS - head.length;
    // Not through the middle of a character that takes two.
    return head + (text.length <= room ? text : text.slice(-room).replace(/^[\uDC00-\uDFFF]/, ''));
  }
}
