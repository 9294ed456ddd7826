import type { ZoneTable } from '../../time/zone-table.ts';
import type { Table } from '../items.ts';
import type { Layout } from '../layout.ts';
import { DocumentText, firstLine } from './document.ts';
import { Matcher } from './matcher.ts';
import { goesOn, ROLES } from './role.ts';
import { Scan } from './scan.ts';
import { LineRole, type Block, type LineTable, type Opened, type Placed, type Stop } from '../scanner.ts';

const NEWLINE = 10;

/** Interprets a table's items, without compiling them. It is what the host's interpreter of the compiled bytes is compared with. */
export class ReferenceTable implements LineTable {
  readonly #matcher: Matcher;
  readonly #isRaw: boolean;
  readonly #documents: DocumentText;
  readonly #scan: Scan;

  constructor(table: Table, layout: Layout, zone: ZoneTable) {
    this.#matcher = new Matcher(table, zone);
    this.#isRaw = layout.isRaw;
    this.#documents = new DocumentText(this.#matcher, layout);
    this.#scan = new Scan(this.#matcher, this.#documents, layout.isRaw);
  }

  place(line: Buffer, lastMs: number, nearMs: number, last: Buffer | undefined): Placed {
    const { place, process: pid, timeMs } = this.#matcher.match(line, lastMs, nearMs);
    if (this.#isRaw) return { role: LineRole.alone, pid: 0, timeMs };
    const isContinued = place === 'alone' && last !== undefined && this.#isOpen(last);
    return { role: isContinued ? LineRole.follows : ROLES[place], pid, timeMs };
  }

  resumes(event: Buffer, line: Buffer): boolean {
    const first = this.#matcher.same(firstLine(event));
    const same = this.#matcher.same(line);
    return first !== undefined && same !== undefined && same.every((text, at) => text === first[at]);
  }

  document(into: Buffer, at: number, text: Buffer, timeMs: number, _isDated: boolean): number {
    const document = this.#documents.of(text, timeMs);
    if (Buffer.byteLength(document) > into.length - at) return 0;
    return at + into.write(document, at);
  }

  scan(block: Block): Stop {
    return this.#scan.scan(block);
  }

  keep(): number {
    return this.#scan.keep();
  }

  keptFrom(): number {
    return this.#scan.keptFrom();
  }

  take(): readonly Opened[] {
    return this.#scan.take();
  }

  [Symbol.dispose](): void {
    this.#scan.take();
  }

  /** Whether an event that a line `opens` is not complete yet. */
  #isOpen(event: Buffer): boolean {
    const { goesOn: set } = this.#matcher.table;
    if (set === undefined || this.#matcher.match(firstLine(event), NaN, 0).place !== 'opens') return false;
    const newline = event.lastIndexOf(NEWLINE);
    return newline === -1 || goesOn(set, event[newline + 1]);
  }
}
