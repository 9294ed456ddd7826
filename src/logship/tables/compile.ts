import type { ByteSet } from './byte-set.ts';
import { BytesWriter } from './bytes-writer.ts';
import { capturesOf, numberOf, restOf } from './captures.ts';
import type { Impossible, Item, Operation, LinePlace, Table } from './items.ts';
import { cachedMinute } from './time-layout.ts';

const CODE = {
  ok: 0,
  lit: 1,
  run: 2,
  to: 3,
  last: 4,
  quoted: 5,
  end: 6,
  eol: 7,
  open: 8,
  close: 9,
  put: 10,
  try: 11,
  commit: 12,
  cut: 13,
  fail: 14,
  place: 15,
  is: 16,
  time: 17,
  process: 18,
  within: 19,
  outer: 20,
  named: 21,
  bad: 22,
  json: 23,
  pairs: 24,
  epoch: 25,
} as const;
const PLACES: readonly LinePlace[] = ['alone', 'begins', 'follows', 'resumes', 'opens'];
const TRACES = { lines: 1, from: 2 } as const;
const IMPOSSIBLE: Readonly<Record<Impossible, number>> = { unreadable: 0, undated: 64, fails: 128 };
const NONE = 255;
const NEWLINE = 10;
const MAX_SETS = 32;
const MAX_CAPTURES = 48;
/** The most choices that are open at a time. */
const MAX_DEPTH = 32;

/**
 * The bytes of a table for the host's interpreter: a header, the sets, the captures that lines of an event have in common, the constants,
 * and the operations, whose jumps only go forward. Throws RangeError for a table that exceeds what the interpreter takes.
 */
export function compile(table: Table): Buffer {
  const captures = capturesOf(table);
  if (captures.length > MAX_CAPTURES) throw new RangeError(`${table.name}: more than ${MAX_CAPTURES} captures`);
  const compiler = new Compiler(table, captures);
  compiler.line();
  const same = (table.same ?? []).map((name) => numberOf(table, captures, name));
  const goesOn = table.goesOn === undefined ? NONE : compiler.set(table.goesOn);
  const rest = restOf(table);
  const { sets, texts, code } = compiler;
  if (sets.length > MAX_SETS) throw new RangeError(`${table.name}: more than ${MAX_SETS} sets of bytes`);
  const head = new BytesWriter().raw(Buffer.from('KLT2')).raw([sets.length, captures.length, same.length]);
  head.raw([PLACES.indexOf(table.otherwise), goesOn, rest === undefined ? NONE : captures.indexOf(rest)]);
  head.raw([table.trace === undefined ? 0 : TRACES[table.trace], 0]);
  head.u16(texts.length, `${table.name}: constants`).u16(code.length, `${table.name}: operations`);
  return Buffer.concat([head.toBuffer(), ...sets, Buffer.from(same), texts.toBuffer(), code.toBuffer()]);
}

class Compiler {
  readonly sets: ByteSet[] = [];
  readonly texts = new BytesWriter();
  readonly code = new BytesWriter();
  readonly #table: Table;
  readonly #captures: readonly string[];
  #depth = 0;
  #isWithin = false;

  constructor(table: Table, captures: readonly string[]) {
    this.#table = table;
    this.#captures = captures;
  }

  line(): void {
    this.#all(this.#table.line);
    this.#put(CODE.ok);
  }

  /** The number of a set, which is added if it is new. */
  set(set: ByteSet): number {
    const known = this.sets.findIndex((one) => Buffer.compare(one, set) === 0);
    return known === -1 ? this.sets.push(set) - 1 : known;
  }

  #all(items: readonly Item[]): void {
    for (const item of items) this.#one(item);
  }

  #one(item: Item): void {
    if (typeof item === 'string') return this.#text(CODE.lit, Buffer.from(item));
    switch (item.op) {
      case 'run':
        return this.#put(CODE.run, this.set(item.set), item.least, item.most);
      case 'to':
        return this.#text(CODE.to, Buffer.from(item.text));
      case 'last':
        return this.#put(CODE.last, this.set(item.set), item.byte);
      case 'quoted':
        return this.#put(CODE.quoted, item.byte);
      case 'end':
        return this.#put(CODE.end, item.byte ?? NEWLINE);
      case 'eol':
      case 'bad':
      case 'fail':
      case 'epoch':
        return this.#put(CODE[item.op]);
      case 'as':
        return this.#capture(item);
      case 'put':
        this.#put(CODE.put, this.#number(item.name));
        return this.#constant(item.text);
      case 'named':
        return this.#named(item);
      case 'either':
        return this.#either(item.choices);
      case 'many':
        return this.#many(item);
      case 'not':
        return this.#not(() => this.#all(item.items));
      case 'ahead':
        return this.#not(() => this.#not(() => this.#all(item.items)));
      case 'is':
        this.#put(CODE.is, this.#number(item.name));
        this.code.text8(Buffer.from(item.text), this.#table.name);
        return;
      case 'place':
        return this.#put(CODE.place, PLACES.indexOf(item.place));
      case 'within':
        return this.#within(item);
      case 'time':
        return this.#time(item.layout, item.impossible);
      case 'json':
        return this.#keys([CODE.json], item.keys);
      case 'pairs':
        return this.#keys([CODE.pairs, item.most], item.keys);
    }
  }

  #capture({ name, items }: Extract<Operation, { op: 'as' }>): void {
    const number = this.#number(name);
    this.#put(CODE.open, number);
    this.#all(items);
    this.#put(CODE.close, number);
    if (name === this.#table.process) this.#put(CODE.process, number);
  }

  #named({ name, from, shift, mask, names }: Extract<Operation, { op: 'named' }>): void {
    this.#put(CODE.named, this.#number(name), this.#number(from), shift, mask, names.length);
    for (const text of names) this.#constant(text);
  }

  #either(choices: readonly (readonly Item[])[]): void {
    const last = choices.length - 1;
    const ends = choices.slice(0, last).map((choice) => {
      const next = this.#jump(CODE.try);
      this.#deeper(() => this.#all(choice));
      const end = this.#jump(CODE.commit);
      this.#land(next);
      return end;
    });
    this.#all(choices[last] ?? []);
    for (const end of ends) this.#land(end);
  }

  #many({ most, items }: Extract<Operation, { op: 'many' }>): void {
    const ends: number[] = [];
    for (let time = 0; time < most; time++) {
      ends.push(this.#jump(CODE.try));
      this.#deeper(() => this.#all(items));
      this.#land(this.#jump(CODE.commit));
    }
    for (const end of ends) this.#land(end);
  }

  #not(items: () => void): void {
    const next = this.#jump(CODE.try);
    this.#deeper(items);
    this.#put(CODE.cut);
    this.#put(CODE.fail);
    this.#land(next);
  }

  #within({ name, items }: Extract<Operation, { op: 'within' }>): void {
    if (this.#isWithin) throw new RangeError(`${this.#table.name}: within '${name}' is in another within`);
    this.#isWithin = true;
    this.#put(CODE.within, this.#number(name));
    this.#all(items);
    this.#put(CODE.outer);
    this.#isWithin = false;
  }

  #time(layout: string, impossible: Impossible): void {
    const { width, before } = cachedMinute(layout);
    this.#put(CODE.time, IMPOSSIBLE[impossible] + width, before);
    this.code.text8(Buffer.from(layout), `${this.#table.name}: time ${layout}`);
  }

  #keys(head: readonly number[], keys: Extract<Operation, { op: 'json' }>['keys']): void {
    this.#put(...head, keys.length);
    for (const { key, name } of keys)
      this.code.u8(this.#number(name), this.#table.name).text8(Buffer.from(key), `${this.#table.name}: ${key}`);
  }

  #text(code: number, text: Buffer): void {
    if (text.length === 0) throw new RangeError(`${this.#table.name}: an empty text`);
    this.#put(code);
    this.code.text8(text, `${this.#table.name}: a text`);
  }

  /** Writes where a constant is among the texts, and its length. */
  #constant(text: string): void {
    const bytes = Buffer.from(text);
    this.code.u16(this.texts.length, this.#table.name).u8(bytes.length, `${this.#table.name}: '${text}'`);
    this.texts.raw(bytes);
  }

  #number(name: string): number {
    return numberOf(this.#table, this.#captures, name);
  }

  #put(...bytes: readonly number[]): void {
    for (const byte of bytes) this.code.u8(byte, this.#table.name);
  }

  /** Writes a jump and returns the place of its target, for #land. */
  #jump(code: number): number {
    this.#put(code, 0, 0);
    return this.code.length - 2;
  }

  #land(at: number): void {
    this.code.patch16(at, this.code.length, `${this.#table.name}: operations`);
  }

  #deeper(items: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new RangeError(`${this.#table.name}: choices deeper than ${MAX_DEPTH}`);
    items();
    this.#depth--;
  }
}
