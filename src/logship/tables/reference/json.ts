/** A value of a member of a JSON object: the inside of a string, or any other value as it is written. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Longer texts are not read as JSON. */
const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ['true', 'false', 'null'];
const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [123, 125, 91, 93];
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const U = 117;

/** The members of a text that is one JSON object; undefined if it is none. */
export function membersOf(bytes: Buffer, at: number, end: number): readonly Member[] | undefined {
  if (end - at > MAX_BYTES) return undefined;
  const reader = new Reader(bytes, end);
  const after = reader.object(reader.space(at), 1, true);
  return after !== -1 && reader.space(after) === end ? reader.members : undefined;
}

/** Each method takes an index and returns the index after what it reads, or -1. */
class Reader {
  readonly members: Member[] = [];
  readonly #bytes: Buffer;
  readonly #end: number;
  #text: string | undefined;

  constructor(bytes: Buffer, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  space(from: number): number {
    let at = from;
    while (at < this.#end && [32, 9, 10, 13].includes(this.#bytes[at]!)) at++;
    return at;
  }

  object(from: number, depth: number, isTop = false): number {
    if (!this.#is(from, OPEN_OBJECT) || depth > MAX_DEPTH) return -1;
    let at = this.space(from + 1);
    if (this.#is(at, CLOSE_OBJECT)) return at + 1;
    for (;;) {
      const keyEnd = this.#string(at);
      if (keyEnd === -1) return -1;
      const colon = this.space(keyEnd);
      if (!this.#is(colon, COLON)) return -1;
      const start = this.space(colon + 1);
      const valueEnd = this.#value(start, depth);
      if (valueEnd === -1) return -1;
      if (isTop) this.#add(this.#bytes.toString('latin1', at + 1, keyEnd - 1), start, valueEnd);
      at = this.space(valueEnd);
      if (this.#is(at, CLOSE_OBJECT)) return at + 1;
      if (!this.#is(at, COMMA)) return -1;
      at = this.space(at + 1);
    }
  }

  #add(key: string, start: number, end: number): void {
    const inner = this.#is(start, QUOTE) ? 1 : 0;
    this.members.push({ key, start: start + inner, end: end - inner });
  }

  #array(from: number, depth: number): number {
    if (depth > MAX_DEPTH) return -1;
    let at = this.space(from + 1);
    if (this.#is(at, CLOSE_ARRAY)) return at + 1;
    for (;;) {
      const end = this.#value(at, depth);
      if (end === -1) return -1;
      at = this.space(end);
      if (this.#is(at, CLOSE_ARRAY)) return at + 1;
      if (!this.#is(at, COMMA)) return -1;
      at = this.space(at + 1);
    }
  }

  #value(at: number, depth: number): number {
    if (this.#is(at, QUOTE)) return this.#string(at);
    if (this.#is(at, OPEN_OBJECT)) return this.object(at, depth + 1);
    if (this.#is(at, OPEN_ARRAY)) return this.#array(at, depth + 1);
    this.#text ??= this.#bytes.toString('latin1', 0, this.#end);
    const literal = LITERALS.find((one) => this.#text!.startsWith(one, at));
    if (literal !== undefined) return at + literal.length;
    NUMBER.lastIndex = at;
    return NUMBER.test(this.#text) ? NUMBER.lastIndex : -1;
  }

  #string(from: number): number {
    if (!this.#is(from, QUOTE)) return -1;
    for (let at = from + 1; at < this.#end; at++) {
      const byte = this.#bytes[at]!;
      if (byte === QUOTE) return at + 1;
      if (byte < 32) return -1;
      if (byte !== BACKSLASH) continue;
      const escape = ++at < this.#end ? this.#bytes[at]! : 0;
      if (escape === U) {
        if (!/^[\da-fA-F]{4}$/.test(this.#bytes.toString('latin1', at + 1, Math.min(at + 5, this.#end)))) return -1;
        at += 4;
      } else if (!ESCAPES.has(escape)) return -1;
    }
    return -1;
  }

  #is(at: number, byte: number): boolean {
    return at < this.#end && this.#bytes[at] === byte;
  }
}
