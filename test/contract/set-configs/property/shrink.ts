import type { Case, Run } from '../play.ts';

/** Maximum number of attempts, enough for the largest case. Each one runs the case. */
const TRIES_MAX = 400;

/** The case without all parts that the failure does not need. */
export async function shrink(one: Case, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let [least, tries] = [one, 0];
  for (let again = true; again;) {
    again = false;
    for (const smaller of smallerThan(least)) {
      if (++tries > TRIES_MAX) return least;
      if (!(await fails(smaller))) continue;
      least = smaller;
      again = true;
      break;
    }
  }
  return least;
}

function* smallerThan(one: Case): Generator<Case> {
  const { files = {}, runs = [], config } = one;
  for (const i of runs.keys()) if (runs.length > 1) yield { ...one, runs: runs.toSpliced(i, 1) };
  for (const path of Object.keys(files)) yield { ...one, files: without(files, path) };
  for (const smaller of smallerConfigs(config)) yield { ...one, config: smaller };
  for (const [i, run] of runs.entries())
    for (const smaller of smallerRuns(run)) yield { ...one, runs: runs.with(i, smaller) };
}

function* smallerRuns(run: Run): Generator<Run> {
  const { meanwhile, config } = run;
  if (config !== undefined) yield without(run, 'config');
  for (const path of Object.keys(meanwhile ?? {})) yield { ...run, meanwhile: without(meanwhile!, path) };
  for (const smaller of smallerConfigs(config)) yield { ...run, config: smaller };
}

/** Variants without a section, without one of its entries, or without a key of an entry. */
function* smallerConfigs(config: unknown): Generator<object> {
  for (const [section, entries] of Object.entries((config ?? {}) as Record<string, unknown>)) {
    if (!Array.isArray(entries)) continue;
    yield without(config as object, section);
    const list = entries as Record<string, unknown>[];
    for (const [i, entry] of list.entries()) {
      yield { ...(config as object), [section]: list.toSpliced(i, 1) };
      for (const key of Object.keys(entry))
        yield { ...(config as object), [section]: list.with(i, without(entry, key)) };
    }
  }
}

function without<T extends object>(object: T, key: string): T {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== key)) as T;
}
