import { hasByte, type ByteSet } from '../byte-set.ts';
import { numberOf } from '../captures.ts';
import { UNLIMITED, type Item, type Key, type Operation, type Table } from '../items.ts';
import { epochAt } from './epoch.ts';
import { membersOf, type Member } from './json.ts';
import type { Match, Step } from './match.ts';
import { pairsAt } from './pairs.ts';
import type { Near } from '../../time/wall.ts';
import { timeAt } from './time.ts';

const BACKSLASH = 92;

/** The steps of a table's items, which change `match`. */
export function stepsOf(table: Table, captures: readonly string[], match: Match, near: Near): Step {
  return new Steps(table, captures, match, near).all(table.line);
}

class Steps {
  readonly #table: Table;
  readonly #captures: readonly string[];
  readonly #match: Match;
  readonly #near: Near;

  constructor(table: Table, captures: readonly string[], match: Match, near: Near) {
    this.#table = table;
    this.#captures = captures;
    this.#match = match;
    this.#near = near;
  }

  all(items: readonly Item[]): Step {
    const steps = items.map((item) => this.#one(item));
    return (from, end) => {
      let at = from;
      for (const step of steps) {
        at = step(at, end);
        if (at === -1) return -1;
      }
      return at;
    };
  }

  #one(item: Item): Step {
    const match = this.#match;
    if (typeof item === 'string') return this.#literal(Buffer.from(item));
    switch (item.op) {
      case 'run':
        return (at, end) => runAt(match.line, item, at, end);
      case 'to':
        return this.#to(Buffer.from(item.text));
      case 'last':
        return (at, end) => lastAt(match.line, item.set, item.byte, at, end);
      case 'quoted':
        return (at, end) => quoteAt(match.line, item.byte, at, end);
      case 'end':
        return (at, end) => (end > at && match.line[end - 1] === item.byte ? end - 1 : end);
      case 'eol':
        return (at, end) => (at === end ? at : -1);
      case 'bad':
        return (at) => ((match.isBad = true), at);
      case 'fail':
        return () => -1;
      case 'epoch':
        return (at, end) => this.#timed(epochAt(match.line, at, end), 'fails');
      case 'time':
        return (at, end) => this.#timed(timeAt(item.layout, match.line, at, end, this.#near), item.impossible);
      case 'as':
        return this.#capture(item.name, this.all(item.items));
      case 'put':
        return this.#put(item.name, Buffer.from(item.text));
      case 'named':
        return this.#named(item);
      case 'either':
        return this.#either(item.choices.map((choice) => this.all(choice)));
      case 'many':
        return this.#many(item.most, this.all(item.items));
      case 'not':
      case 'ahead': {
        const step = this.all(item.items);
        return (at, end) => (match.look(step, at, end) === (item.op === 'ahead') ? at : -1);
      }
      case 'is':
        return this.#is(item.name, Buffer.from(item.text));
      case 'place':
        return (at) => ((match.place = item.place), at);
      case 'within':
        return this.#within(item.name, this.all(item.items));
      case 'json':
        return (at, end) => this.#members(membersOf(match.line, at, end), item.keys, end);
      case 'pairs':
        return (at, end) => {
          const found = pairsAt(match.line, at, end, item.most);
          return this.#members(found.members.toReversed(), item.keys, found.at);
        };
    }
  }

  #literal(text: Buffer): Step {
    return (at, end) => {
      const after = at + text.length;
      return after <= end && this.#match.line.compare(text, 0, text.length, at, after) === 0 ? after : -1;
    };
  }

  #to(text: Buffer): Step {
    return (at, end) => {
      const found = this.#match.line.indexOf(text, at);
      return found !== -1 && found + text.length <= end ? found : -1;
    };
  }

  #timed(
    found: { readonly at: number; readonly ms: number } | undefined,
    impossible: Extract<Operation, { op: 'time' }>['impossible'],
  ): number {
    if (found === undefined) return -1;
    const isImpossible = Number.isNaN(found.ms);
    if (isImpossible && impossible === 'fails') return -1;
    this.#match.timeMs = found.ms;
    if (isImpossible && impossible === 'unreadable') this.#match.isBad = true;
    return found.at;
  }

  #capture(name: string, step: Step): Step {
    const number = this.#number(name);
    const isProcess = name === this.#table.process;
    const match = this.#match;
    return (at, end) => {
      const after = step(at, end);
      if (after === -1) return -1;
      match.capture(number, at, after);
      if (isProcess) match.process = decimalOf(match.line.subarray(at, after));
      return after;
    };
  }

  #put(name: string, text: Buffer): Step {
    const number = this.#number(name);
    return (at) => (this.#match.put(number, text), at);
  }

  #named({ name, from, shift, mask, names }: Extract<Operation, { op: 'named' }>): Step {
    const [number, source] = [this.#number(name), this.#number(from)];
    const texts = names.map((text) => Buffer.from(text));
    const match = this.#match;
    return (at) => {
      if (!match.isPart(source)) return -1;
      const text = texts[(decimalOf(match.text(source)!) >>> shift) & mask];
      if (text === undefined) return -1;
      match.put(number, text);
      return at;
    };
  }

  #either(choices: readonly Step[]): Step {
    return (at, end) => {
      for (const choice of choices) {
        const after = this.#match.attempt(choice, at, end);
        if (after !== -1) return after;
      }
      return choices.length === 0 ? at : -1;
    };
  }

  #many(most: number, step: Step): Step {
    return (from, end) => {
      let at = from;
      for (let time = 0; time < most; time++) {
        const after = this.#match.attempt(step, at, end);
        if (after === -1) break;
        at = after;
      }
      return at;
    };
  }

  #is(name: string, text: Buffer): Step {
    const number = this.#number(name);
    const match = this.#match;
    return (at) => (match.isPart(number) && match.text(number)!.equals(text) ? at : -1);
  }

  #within(name: string, step: Step): Step {
    const number = this.#number(name);
    const match = this.#match;
    return (at) => (match.isPart(number) && step(match.starts[number]!, match.ends[number]!) !== -1 ? at : -1);
  }

  /** Sets the captures of keys. Of members with the same key the last one counts. */
  #members(members: readonly Member[] | undefined, keys: readonly Key[], after: number): number {
    if (members === undefined) return -1;
    for (const { key, start, end } of members) {
      const name = keys.find((one) => Buffer.from(one.key).toString('latin1') === key)?.name;
      if (name !== undefined) this.#match.capture(this.#number(name), start, end);
    }
    return after;
  }

  #number(name: string): number {
    return numberOf(this.#table, this.#captures, name);
  }
}

function runAt(line: Buffer, { set, least, most }: Extract<Operation, { op: 'run' }>, from: number, end: number) {
  const stop = most === UNLIMITED ? end : Math.min(end, from + most);
  const at = behind(line, set, from, stop);
  return at - from < least ? -1 : at;
}

function lastAt(line: Buffer, set: ByteSet, byte: number, from: number, end: number): number {
  let at = behind(line, set, from, end) - 1;
  while (at > from && line[at] !== byte) at--;
  return at > from ? at : -1;
}

function behind(line: Buffer, set: ByteSet, from: number, end: number): number {
  let at = from;
  while (at < end && hasByte(set, line[at]!)) at++;
  return at;
}

function quoteAt(line: Buffer, byte: number, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (line[at] === byte) return at;
    if (line[at] === BACKSLASH) at++;
  }
  return -1;
}

/** The value of decimal digits, as an unsigned integer of 32 bits. */
function decimalOf(digits: Buffer): number {
  let value = 0;
  for (const digit of digits) value = (Math.imul(value, 10) + digit - 48) >>> 0;
  return value;
}
