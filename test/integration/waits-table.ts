const CELL_COLUMNS = 44;

/** The results by kind and situation. */
export class Cells {
  readonly #columns: readonly string[];
  readonly #rows = new Map<string, Map<string, string>>();

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  set(kind: string, column: string, seen: string): void {
    const row = this.#rows.get(kind) ?? new Map<string, string>();
    this.#rows.set(kind, row.set(column, seen));
  }

  /** The result; empty if there is none. */
  at(kind: string, column: string): string {
    return this.#rows.get(kind)?.get(column) ?? '';
  }

  /** `kind: column` of every empty cell. */
  empty(): string[] {
    return [...this.#rows].flatMap(([kind, row]) =>
      this.#columns.filter((column) => (row.get(column) ?? '') === '').map((column) => `${kind}: ${column}`),
    );
  }

  /** The table as text for readers. Long cells are truncated. */
  table(): string {
    const rows = [...this.#rows].map(([kind, row]) => [kind, ...this.#columns.map((column) => row.get(column) ?? '-')]);
    const all = [['kind', ...this.#columns], ...rows].map((row) => row.map(cut));
    const widths = (all[0] ?? []).map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
    return all
      .map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }
}

function cut(text: string): string {
  return text.length <= CELL_COLUMNS ? text : `${text.slice(0, CELL_COLUMNS - 3)}...`;
}
