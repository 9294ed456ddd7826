/**
 * The results of runs one after another, of different suites: a file with a result is not run again, and the last run's sections
 * and summary are those of all.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { ignoreAbsent } from '../../src/fs/absent.ts';
import type { Item } from './plan.ts';
import type { Ran } from './report.ts';

export interface Results {
  /** The duration of all runs. */
  readonly seconds: number;
  readonly ran: readonly Ran[];
}

/** Of a missing file, none. */
export async function readResults(file: string): Promise<Results> {
  const text = await readFile(file, 'utf8').catch(ignoreAbsent);
  return text === undefined ? { seconds: 0, ran: [] } : (JSON.parse(text) as Results);
}

/** Interrupted files are left out: their results mean nothing. */
export async function writeResults(file: string, { seconds, ran }: Results): Promise<void> {
  const finished = ran.filter(({ result }) => !result.isCut);
  await writeFile(file, JSON.stringify({ seconds, ran: finished } satisfies Results));
}

/** The items without a result. */
export function withoutResult(items: readonly Item[], { ran }: Results): Item[] {
  const known = new Set(ran.map(({ item }) => keyOf(item)));
  return items.filter((item) => !known.has(keyOf(item)));
}

function keyOf({ suite, name }: Item): string {
  return `${suite}: ${name}`;
}
