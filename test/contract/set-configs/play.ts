import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import type { Ended, Reference, Start } from './reference.ts';
import { look, plant, type Files, type Seen } from './tree.ts';

export interface Run {
  readonly argv?: readonly string[];
  /** The strategy; the default is COPY_ALWAYS. */
  readonly strategy?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Files that are written before this start; null removes a file. */
  readonly meanwhile?: Readonly<Record<string, string | null>>;
  /** Content of config.json from this start on. */
  readonly config?: unknown;
}

export interface Case {
  readonly name: string;
  readonly files?: Files;
  /** The content of config.json: a string as it is, any other value as JSON. Undefined for no file. */
  readonly config?: unknown;
  readonly yaml?: string;
  readonly runs?: readonly Run[];
}

/** The result of one start. */
export interface Outcome extends Ended {
  readonly before: Map<string, Seen>;
  readonly tree: Map<string, Seen>;
}

export const CONFIG = 'var/lib/kolla/config_files';

/** Runs every start of a case in a temporary root. */
export async function play(one: Case, start: (at: Start) => Promise<Ended>): Promise<Outcome[]> {
  await using directory = await privateDirectory('contract', inMemory());
  const root = join(directory.path, 'root');
  mkdirSync(root);
  mkdirSync(join(root, CONFIG), { recursive: true });
  plant(root, {
    ...one.files,
    ...(one.config === undefined ? {} : { [`${CONFIG}/config.json`]: asText(one.config) }),
    ...(one.yaml === undefined ? {} : { [`${CONFIG}/config.yaml`]: one.yaml }),
  });
  const outcomes: Outcome[] = [];
  for (const run of one.runs ?? [{}]) {
    for (const [path, text] of Object.entries(run.meanwhile ?? {})) change(join(root, path), text);
    if ('config' in run) change(join(root, CONFIG, 'config.json'), asText(run.config));
    const strategy = 'strategy' in run ? run.strategy : 'COPY_ALWAYS';
    const env = { ...(strategy === undefined ? {} : { KOLLA_CONFIG_STRATEGY: strategy }), ...run.env };
    const before = look(root);
    const ended = await start({ root, argv: run.argv ?? [], env });
    outcomes.push({ ...ended, before, tree: look(root) });
  }
  return outcomes;
}

function asText(config: unknown): string {
  return typeof config === 'string' ? config : JSON.stringify(config);
}

function change(path: string, text: string | null): void {
  if (text === null) rmSync(path, { recursive: true });
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

export function byReference(reference: Reference): (at: Start) => Promise<Ended> {
  return (at) => reference.run(at);
}

/** Log lines without timestamps, sorted, because the tools read directories in different orders. */
export function linesOf({ stderr }: Ended): string[] {
  const lines = stderr
    .split('\n')
    .flatMap((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (.*)$/.exec(line)?.[1] ?? []);
  return lines.toSorted();
}

/** `ERROR InvalidConfig` of the last error, for which users search. */
export function errorClass(ended: Ended): string {
  return (
    linesOf(ended)
      .findLast((line) => /^ERROR (?:\w+|Unexpected error):/.test(line))
      ?.split(':')[0] ?? ''
  );
}
