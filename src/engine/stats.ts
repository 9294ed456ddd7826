/** Stats of a file and directory entries, as `node:fs` returns them. */

const FORMAT = 0o170_000;
/** File types in a mode, by FORMAT. */
const [FIFO, FILE, DIRECTORY, LINK, SOCKET] = [0o10_000, 0o100_000, 0o40_000, 0o120_000, 0o140_000];

/** The result of sys.stat. It is decoded on access, because most of it is never needed. */
export class Stats {
  readonly #found: readonly number[];

  constructor(found: readonly number[]) {
    this.#found = found;
  }

  get dev(): number {
    return this.#found[0]!;
  }

  get ino(): number {
    return this.#found[1]!;
  }

  get mode(): number {
    return this.#found[2]!;
  }

  get nlink(): number {
    return this.#found[3]!;
  }

  get uid(): number {
    return this.#found[4]!;
  }

  get gid(): number {
    return this.#found[5]!;
  }

  get size(): number {
    return this.#found[6]!;
  }

  get atimeMs(): number {
    return this.#found[7]!;
  }

  get mtimeMs(): number {
    return this.#found[8]!;
  }

  get ctimeMs(): number {
    return this.#found[9]!;
  }

  /** Of 512 bytes. */
  get blocks(): number {
    return this.#found[10]!;
  }

  isFile(): boolean {
    return (this.#found[2]! & FORMAT) === FILE;
  }

  isDirectory(): boolean {
    return (this.#found[2]! & FORMAT) === DIRECTORY;
  }

  isSymbolicLink(): boolean {
    return (this.#found[2]! & FORMAT) === LINK;
  }

  isSocket(): boolean {
    return (this.#found[2]! & FORMAT) === SOCKET;
  }

  isFIFO(): boolean {
    return (this.#found[2]! & FORMAT) === FIFO;
  }
}

export class Dirent {
  readonly name: string;
  readonly mode: number;

  constructor(name: string, mode: number) {
    this.name = name;
    this.mode = mode;
  }

  isFile(): boolean {
    return (this.mode & FORMAT) === FILE;
  }

  isDirectory(): boolean {
    return (this.mode & FORMAT) === DIRECTORY;
  }

  isSymbolicLink(): boolean {
    return (this.mode & FORMAT) === LINK;
  }
}
