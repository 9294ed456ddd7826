const LINES = 20;
const CHARACTERS = 4000;
/**
 * `(1050, "Table 'role' already exists")`: a server error as shown by Python's drivers. Bounded by the server's
 * maximum: a line of 16 K with many such prefixes must not delay the renewal of the lock.
 */
const SERVER_ERROR = /\((\d{4}), (["'])(.{1,512}?)\2\)/;

/** `Running upgrade 27e647c0fad4 -> 29e87d24a316, Add a table`: printed by alembic before each revision. */
const UPGRADE = /Running upgrade [\w, ]*-> (\w+)(?:, (.*))?/;

/** One revision of the schema's history. */
export interface Revision {
  readonly id: string;
  /** The title that the author gave it; may be empty. */
  readonly title: string;
}

/** The database server's error, verbatim. */
export interface ServerError {
  readonly errno: number;
  readonly text: string;
}

/**
 * Keeps a command's last lines for its record: few enough to be read and to fit into a row. The first server error is
 * kept as well, because tools often print the whole statement and a traceback after it.
 */
export class LastLines {
  #lines: string[] = [];
  #revision: Revision | undefined;
  #first: { readonly line: string; readonly error: ServerError } | undefined;

  /** @param line the line without secrets and control characters */
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

  /** The command has survived its errors, so they do not explain what fails after it. */
  forgetError(): void {
    this.#revision = undefined;
    this.#first = undefined;
  }

  /** The revision that was being applied at the server's first error, or else the last one. */
  get revision(): Revision | undefined {
    return this.#revision;
  }

  get serverError(): ServerError | undefined {
    return this.#first?.error;
  }

  /** The last lines, at most 20 and 4,000 characters, preceded by the server's first error if it is not among them. */
  toString(): string {
    const isShown = this.#first === undefined || this.#lines.includes(this.#first.line);
    const head = isShown ? '' : `${this.#first?.line.slice(0, CHARACTERS / 4)}\n...\n`;
    const text = this.#lines.join('\n');
    const room = CHARACTERS - head.length;
    // Truncation does not split a surrogate pair.
    return head + (text.length <= room ? text : text.slice(-room).replace(/^[\uDC00-\uDFFF]/, ''));
  }
}
