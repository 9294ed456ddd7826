import type { LinePlace } from '../items.ts';

/** Matches a part of a line from an index to the line's end. Returns the index after the part, or -1. */
export type Step = (at: number, end: number) => number;

/** What a table says of a line: the state that its steps change. Its arrays belong to the captures by number. */
export class Match {
  /** The line. Indexes are within it. */
  line: Buffer = Buffer.alloc(0);
  place: LinePlace = 'alone';
  isMatched = false;
  /** Whether the event is unreadable although its line matches. */
  isBad = false;
  /** Milliseconds since the epoch; NaN without a time. */
  timeMs = NaN;
  process = 0;
  readonly isSet: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly constants: (Buffer | undefined)[];
  /** The captures that were set, in order, so that a choice that fails can undo them. */
  readonly #trail: number[] = [];

  constructor(captures: number) {
    this.isSet = new Uint8Array(captures);
    this.starts = new Int32Array(captures);
    this.ends = new Int32Array(captures);
    this.constants = Array.from({ length: captures }, () => undefined);
  }

  reset(line: Buffer, place: LinePlace): void {
    this.line = line;
    this.place = place;
    this.isMatched = false;
    this.isBad = false;
    this.timeMs = NaN;
    this.process = 0;
    this.isSet.fill(0);
    this.#trail.length = 0;
  }

  /** Sets a capture to a part of the line. */
  capture(number: number, start: number, end: number): void {
    this.starts[number] = start;
    this.ends[number] = end;
    this.constants[number] = undefined;
    this.#mark(number);
  }

  put(number: number, text: Buffer): void {
    this.constants[number] = text;
    this.#mark(number);
  }

  /** The text of a capture; undefined if it is not set. */
  text(number: number): Buffer | undefined {
    if (this.isSet[number] !== 1) return undefined;
    return this.constants[number] ?? this.line.subarray(this.starts[number], this.ends[number]);
  }

  /** Whether a capture is a part of the line. */
  isPart(number: number): boolean {
    return this.isSet[number] === 1 && this.constants[number] === undefined;
  }

  /** Runs steps of a choice, and undoes what they have found if they fail. Their place and process remain. */
  attempt(step: Step, at: number, end: number): number {
    const { timeMs, isBad } = this;
    const known = this.#trail.length;
    const after = step(at, end);
    if (after === -1) this.undo(known, timeMs, isBad);
    return after;
  }

  /** Runs steps of which nothing remains but their place and process. Returns whether they match. */
  look(step: Step, at: number, end: number): boolean {
    const { timeMs, isBad } = this;
    const known = this.#trail.length;
    const after = step(at, end);
    this.undo(known, timeMs, isBad);
    return after !== -1;
  }

  undo(known: number, timeMs: number, isBad: boolean): void {
    while (this.#trail.length > known) this.isSet[this.#trail.pop()!] = 0;
    this.timeMs = timeMs;
    this.isBad = isBad;
  }

  #mark(number: number): void {
    if (this.isSet[number] === 1) return;
    this.isSet[number] = 1;
    this.#trail.push(number);
  }
}
