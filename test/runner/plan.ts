import { globSync } from 'node:fs';
import { SUITES, type Lane, type Suite } from '../suites.ts';
import { CHECKS } from './checks.ts';

/** One thing to run: a test file, or a static check by name. */
export interface Item {
  readonly suite: string;
  readonly name: string;
  readonly lane: Lane;
}

export const CHECK: Pick<Suite, 'name' | 'what' | 'tier'> = {
  name: 'check',
  what: 'types, lint, format',
  tier: 'test',
};
const LANES = ['processor', 'waits', 'node'] as const;

/** A command-line argument that is not the name of a suite. */
export class UnknownSuite extends Error {
  override name = 'UnknownSuite';
}

/** Expands `test`, `full` or a suite's name to names of suites. `full` is every file, once. */
export function suitesOf(word: string): string[] {
  if (word === 'test') return [CHECK, ...SUITES].filter(({ tier }) => tier === 'test').map(({ name }) => name);
  if (word === 'full') return [CHECK, ...SUITES].filter(({ tier }) => tier !== 'asked').map(({ name }) => name);
  if (word === CHECK.name || SUITES.some(({ name }) => name === word)) return [word];
  const known = ['test', 'full', CHECK.name, ...SUITES.map(({ name }) => name)];
  throw new UnknownSuite(`no suite '${word}'; there is ${known.join(', ')}`);
}

/** The items of suites in the order of the table. A suite without files is an error, because its pattern is wrong. */
export function itemsOf(suites: readonly string[]): Item[] {
  const checks = suites.includes(CHECK.name) ? Object.keys(CHECKS).map((name) => checkItem(name)) : [];
  return [...checks, ...SUITES.filter(({ name }) => suites.includes(name)).flatMap(filesOf)];
}

function checkItem(name: string): Item {
  return { suite: CHECK.name, name, lane: 'processor' };
}

function filesOf(suite: Suite): Item[] {
  const items = new Map<string, Item>();
  for (const lane of LANES.toReversed()) {
    for (const pattern of suite[lane] ?? [])
      for (const name of globSync(pattern).toSorted())
        if (!items.has(name)) items.set(name, { suite: suite.name, name, lane });
  }
  if (items.size === 0) throw new Error(`suite ${suite.name} has no files`);
  return [...items.values()];
}
