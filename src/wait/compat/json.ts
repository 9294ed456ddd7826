import { wrong, type Source } from '../grammar/source.ts';
import { leftOut } from './leave-out.ts';

/** A JSON value with its position, for error messages. */
export type Json = { readonly column: number } & (
  | {
      readonly is: 'object';
      readonly members: readonly { readonly key: string; readonly column: number; readonly value: Json }[];
    }
  | { readonly is: 'array'; readonly items: readonly Json[] }
  | { readonly is: 'string'; readonly value: string }
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'null' }
);

/** Maximum depth: far more than an entry needs, and far less than the stack allows. */
const DEPTH_MAX = 50;

const SPACES = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- what JSON forbids in a string
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Parses a text like JSON.parse. Throws LeftOutError with the column of a syntax error. */
export function parseJson(source: Source): Json {
  const reader = new Reader(source);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #source: Source;
  #at = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  value(depth: number): Json {
    if (depth > DEPTH_MAX) throw wrong(this.#source, this.#at + 1, 'this is nested too deeply');
    this.#take(SPACES);
    const column = this.#at + 1;
    if (this.#mark('[')) return { is: 'array', column, items: this.#until(']', () => this.value(depth + 1)) };
    if (this.#mark('{')) return { is: 'object', column, members: this.#until('}', () => this.#member(depth)) };
    const string = this.#take(STRING);
    if (string !== undefined) return { is: 'string', column, value: JSON.parse(string) as string };
    const number = this.#take(NUMBER);
    if (number !== undefined) return { is: 'number', column, value: Number(number) };
    const word = this.#take(WORD);
    if (word === undefined) throw this.#malformed('a value is missing or not JSON');
    return word === 'null' ? { is: 'null', column } : { is: 'boolean', column, value: word === 'true' };
  }

  end(): void {
    this.#take(SPACES);
    if (this.#at < this.#source.text.length) throw this.#malformed('text after the end of the JSON');
  }

  #member(depth: number): { key: string; column: number; value: Json } {
    this.#take(SPACES);
    const column = this.#at + 1;
    const key = this.#take(STRING);
    if (key === undefined) throw this.#malformed('a key in double quotes is missing');
    if (!this.#mark(':')) throw this.#malformed("a ':' is missing");
    return { key: JSON.parse(key) as string, column, value: this.value(depth + 1) };
  }

  #until<T>(close: ']' | '}', next: () => T): T[] {
    const all: T[] = [];
    if (this.#mark(close)) return all;
    do all.push(next());
    while (this.#mark(','));
    if (!this.#mark(close)) throw this.#malformed(`a ',' or '${close}' is missing`);
    return all;
  }

  #mark(mark: string): boolean {
    this.#take(SPACES);
    if (this.#source.text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#source.text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #malformed(why: string): Error {
    return leftOut(this.#source, this.#at + 1, `malformed JSON: ${why}`);
  }
}
