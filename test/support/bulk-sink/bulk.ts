import type { Chance, Faults, Refusal } from './faults.ts';
import type { Action, Store } from './store.ts';

const NEWLINE = 10;

/** The result of one document: `refusal` is undefined if it was indexed. */
export interface Result {
  readonly action: Action;
  readonly refusal: Refusal | undefined;
}

/**
 * Executes the actions of a bulk body, in order.
 * @param index index of actions that name none
 * @returns undefined for an invalid bulk request, which has no effect
 */
export function carryOut(
  body: Buffer,
  index: string,
  { store, faults, chance }: { store: Store; faults: Faults; chance: Chance },
): Result[] | undefined {
  const asked = readBody(body, index);
  return asked?.map(({ action, source }) => {
    const named = faults.ignoreIds ? { ...action, id: undefined } : action;
    const refusal = chance.refuses(faults, source) ?? store.put(named, source.toString());
    if (refusal !== undefined) store.refused(refusal);
    return { action, refusal };
  });
}

function readBody(body: Buffer, index: string): { action: Action; source: Buffer }[] | undefined {
  // "The bulk request must be terminated by a newline": without one it was truncated.
  if (body.at(-1) !== NEWLINE) return undefined;
  const lines = linesOf(body);
  const asked = [];
  for (let i = 0; i < lines.length; i += 2) {
    const [action, source] = [readAction(lines[i]!, index), lines[i + 1]];
    if (action === undefined || source === undefined) return undefined;
    asked.push({ action, source });
  }
  return asked;
}

function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end; (end = body.indexOf(NEWLINE, start)) !== -1; start = end + 1)
    if (end > start) lines.push(body.subarray(start, end));
  return lines;
}

function readAction(line: Buffer, index: string): Action | undefined {
  try {
    const [[op, { _index = index, _id }] = ['', {}]] = Object.entries(
      JSON.parse(line.toString()) as Record<string, { _index?: string; _id?: string }>,
    );
    return op === 'create' || op === 'index' ? { op, index: _index, id: _id } : undefined;
  } catch {
    return undefined;
  }
}

/** Counts newlines, of which each document has two. */
export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
