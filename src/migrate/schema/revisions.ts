import { glob, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { programFile } from '../child/program.ts';

/** The revisions that a script directory has, each with those that it follows or depends on. */
export interface Revisions {
  readonly before: ReadonlyMap<string, readonly string[]>;
  /** Those of the `expand` branch, which such a phase applies. */
  readonly expand: ReadonlySet<string>;
}

/** Where Kolla's images and Debian's packages have modules, seen from a program's directory. */
const MODULES = '../lib/python3*/{site,dist}-packages';
/** As alembic's template writes it, with or without a type; a tuple may have several lines. */
const ASSIGNED =
  /^(revision|down_revision|depends_on)\b(?:[ \t]*:[^=\n]*)?[ \t]*=[ \t]*(\([^)]*\)|\[[^\]]*\]|[^\n]*)/gm;
const QUOTED = /'([^'\n]*)'|"([^"\n]*)"/g;

/**
 * Reads the revisions of a tool's script directory as text: importing them would run the service's code.
 * @param program the tool, as a path or a name
 * @param scripts the directory, relative to the modules that are installed next to the tool
 * @returns undefined if there is no such directory
 */
export async function readRevisions(
  program: string,
  scripts: string,
  env: NodeJS.ProcessEnv,
): Promise<Revisions | undefined> {
  const tool = programFile(program, env);
  if (tool === undefined) return undefined;
  const before = new Map<string, readonly string[]>();
  const expand = new Set<string>();
  const bin = dirname(await realpath(tool));
  for await (const file of glob(join(bin, MODULES, scripts, '**/*.py'))) {
    const {
      revision: [revision] = [],
      down_revision: follows = [],
      depends_on: needs = [],
    } = assignedIn(await readFile(file, 'utf8'));
    if (revision === undefined) continue;
    before.set(revision, [...follows, ...needs]);
    if (file.slice(bin.length).includes('expand')) expand.add(revision);
  }
  return before.size === 0 ? undefined : { before, expand };
}

/** The strings that a revision's file assigns, by name. */
export function assignedIn(text: string): Partial<Record<'revision' | 'down_revision' | 'depends_on', string[]>> {
  const values = [...text.matchAll(ASSIGNED)].map(([, name = '', value = '']): [string, string[]] => [
    name,
    [...value.replace(/#.*/, '').matchAll(QUOTED)].map(([, single, double]) => single ?? double ?? ''),
  ]);
  return Object.fromEntries(values);
}

/** Revisions that no other one follows. */
export function headsOf(before: Revisions['before']): string[] {
  const followed = new Set([...before.values()].flat());
  return [...before.keys()].filter((revision) => !followed.has(revision)).toSorted();
}

/** These revisions, and all that they follow or depend on. */
export function impliedBy({ before }: Revisions, versions: readonly string[]): Set<string> {
  const implied = new Set<string>();
  const left = [...versions];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (implied.has(next)) continue;
    implied.add(next);
    left.push(...(before.get(next) ?? []));
  }
  return implied;
}
