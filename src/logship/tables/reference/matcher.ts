import { capturesOf, numberOf } from '../captures.ts';
import type { Table } from '../items.ts';
import { zoneOf, type Zone } from '../../time/zone.ts';
import type { ZoneTable } from '../../time/zone-table.ts';
import { Match, type Step } from './match.ts';
import { stepsOf } from './steps.ts';

/** Matches lines against a table's items: the other side of every test of the compiled bytes and of their interpreter. */
export class Matcher {
  readonly table: Table;
  readonly captures: readonly string[];
  /** See inOrder, and for times without a year. */
  readonly near: { readonly zone: Zone; lastMs: number; nearMs: number };
  readonly #match: Match;
  readonly #step: Step;
  readonly #same: readonly number[];

  constructor(table: Table, zone: ZoneTable) {
    this.table = table;
    this.captures = capturesOf(table);
    this.near = { zone: zoneOf(zone), lastMs: NaN, nearMs: NaN };
    this.#match = new Match(this.captures.length);
    this.#step = stepsOf(table, this.captures, this.#match, this.near);
    this.#same = (table.same ?? []).map((name) => numberOf(table, this.captures, name));
  }

  /** Matches a line without its line ending. The result is reused by the next call. */
  match(line: Buffer, lastMs: number, nearMs: number): Match {
    const match = this.#match;
    this.near.lastMs = lastMs;
    this.near.nearMs = nearMs;
    match.reset(line, this.table.otherwise);
    match.isMatched = this.#step(0, line.length) !== -1;
    return match;
  }

  /** The captures of an event's first line that its further lines have in common; undefined if it does not match. */
  same(line: Buffer): readonly (string | undefined)[] | undefined {
    const match = this.match(line, NaN, 0);
    return match.isMatched ? this.#same.map((number) => match.text(number)?.toString('latin1')) : undefined;
  }
}
