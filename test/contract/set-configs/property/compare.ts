import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { normalize } from 'node:path/posix';
import { parsePythonYaml } from '../../../../src/config/python/yaml.ts';
import { byUs } from '../ours.ts';
import { byReference, CONFIG, errorClass, linesOf, type Case, type Outcome, type Run } from '../play.ts';
import type { Ended, Reference, Start } from '../reference.ts';
import { differences, look, plant, type Seen } from '../tree.ts';
import { deviationOf, type Deviation } from './deviations.ts';

/** One difference between our result of a start and Kolla's. */
export interface Difference {
  readonly what: 'code' | 'class' | 'tree' | 'line' | 'touched' | 'unseen';
  /** The path in the tree at which the results differ. */
  readonly path: string;
  readonly theirs: string;
  readonly ours: string;
}

/** What a rule receives. */
export interface Situation {
  readonly one: Case;
  readonly run: Run;
  /** The configuration that this start reads; undefined if it is invalid. */
  readonly config: unknown;
  readonly theirs: Outcome;
  readonly ours: Outcome;
}

export interface Comparison {
  /** Number of starts that were compared. */
  readonly starts: number;
  /** Differences for which there is no rule, as text. */
  readonly findings: readonly string[];
  readonly deviations: readonly Deviation[];
  /** Whether both tools failed at the last start. Kolla's leaves a partial result, so later starts are not compared. */
  readonly refused: boolean;
}

/**
 * Plays a case with Kolla's tool and with ours, start by start, each in a separate root, until they diverge: at a
 * failed start, which leaves Kolla's half done and ours untouched, or at a documented deviation.
 */
export async function compareCase(one: Case, reference: Reference, directory: string): Promise<Comparison> {
  const theirs = new Root(join(directory, 'theirs'), one, byReference(reference));
  const ours = new Root(join(directory, 'ours'), one, byUs);
  const deviations: Deviation[] = [];
  let starts = 0;
  try {
    let config = one.yaml === undefined ? one.config : await parsePythonYaml('', one.yaml).catch(() => undefined);
    for (const run of one.runs ?? [{}]) {
      if ('config' in run) config = run.config;
      starts++;
      // While this runs, Python runs on the other core.
      const theirEnd = theirs.start(run);
      const situation = { one, run, config, ours: await ours.start(run), theirs: await theirEnd };
      const all = [...differencesOf(situation), ...(run === one.runs?.at(-1) ? await unseenBy(ours, situation) : [])];
      const found = all.map((difference) => ({ difference, rule: deviationOf(difference, situation) }));
      deviations.push(...new Set(found.flatMap(({ rule }) => rule ?? [])));
      const findings = found.flatMap(({ difference, rule }) => (rule ? [] : [inWords(difference, starts)]));
      const refused = situation.theirs.code !== 0 && run.argv === undefined;
      if (
        findings.length > 0 ||
        refused ||
        found.some(({ difference, rule }) => rule?.parts && difference.what !== 'line')
      )
        return { starts, findings, deviations, refused };
    }
    return { starts, findings: [], deviations, refused: false };
  } finally {
    theirs.remove();
    ours.remove();
  }
}

function inWords({ what, path, theirs, ours }: Difference, start: number): string {
  return `start ${start}: ${what}${path && ` of ${path}`}: Kolla's ${theirs} | ours ${ours}`;
}

function differencesOf({ theirs, ours }: Situation): Difference[] {
  const found: Difference[] = [];
  const add = (what: Difference['what'], their: string, our: string, path = '') => {
    if (their !== our) found.push({ what, path, theirs: their, ours: our });
  };
  add('code', String(theirs.code), String(ours.code));
  add('class', errorClass(theirs), errorClass(ours));
  if (ours.code !== 0) add('touched', '', differences(ours.before, ours.tree).join('; '));
  if (theirs.code !== 0 || ours.code !== 0) return found;
  for (const path of new Set([...theirs.tree.keys(), ...ours.tree.keys()])) {
    if (differences(only(theirs.tree, path), only(ours.tree, path)).length === 0) continue;
    add('tree', told(theirs.tree.get(path)), told(ours.tree.get(path)), path);
  }
  const [their, our] = [linesOf(theirs), linesOf(ours)];
  for (const line of without(their, our)) add('line', line, '');
  for (const line of without(our, their)) add('line', '', line);
  return found;
}

/** Changes that our start made, although its check had reported none. */
async function unseenBy(root: Root, { run, ours }: Situation): Promise<Difference[]> {
  if (run.argv === undefined || ours.code !== 0) return [];
  const again = await root.start({});
  const copied = linesOf(again).flatMap(
    (line) => /^INFO Copying (?!\/etc\/kolla|permissions).* to (?!\/etc\/kolla)(.*)$/.exec(line)?.[1] ?? [],
  );
  return [...new Set(copied.map((dest) => normalize(`/${dest}`).slice(1)))].flatMap((path) => {
    const [before = 'absent', after = 'absent'] = [again.before.get(path)?.what, again.tree.get(path)?.what];
    return before === after || after === 'absent'
      ? []
      : [{ what: 'unseen' as const, path, theirs: before, ours: after }];
  });
}

function only(tree: Map<string, Seen>, path: string): Map<string, Seen> {
  const seen = tree.get(path);
  return new Map(seen === undefined ? [] : [[path, seen]]);
}

function told(seen: Seen | undefined): string {
  return seen === undefined ? 'absent' : `${seen.what} @${seen.mtime}`;
}

/** The lines that `others` lacks, each as often as it is missing. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  const missing = lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return missing;
}

/** A root with one of the two tools. */
export class Root {
  readonly #path: string;
  readonly #tool: (at: Start) => Promise<Ended>;

  constructor(path: string, one: Case, tool: (at: Start) => Promise<Ended>) {
    this.#path = path;
    this.#tool = tool;
    mkdirSync(join(path, CONFIG), { recursive: true });
    plant(path, one.files ?? {});
    if (one.config !== undefined) this.#configure(one.config);
    if (one.yaml !== undefined) writeFileSync(join(path, CONFIG, 'config.yaml'), one.yaml);
  }

  async start(run: Run): Promise<Outcome> {
    for (const [path, text] of Object.entries(run.meanwhile ?? {})) this.#change(join(this.#path, path), text);
    if ('config' in run) this.#configure(run.config);
    const strategy = 'strategy' in run ? run.strategy : 'COPY_ALWAYS';
    const env = strategy === undefined ? {} : { KOLLA_CONFIG_STRATEGY: strategy };
    const before = look(this.#path);
    const ended = await this.#tool({ root: this.#path, argv: run.argv ?? [], env, sorted: true });
    return { ...ended, before, tree: look(this.#path) };
  }

  remove(): void {
    rmSync(this.#path, { recursive: true });
  }

  #configure(config: unknown): void {
    writeFileSync(join(this.#path, CONFIG, 'config.json'), JSON.stringify(config));
  }

  #change(path: string, text: string | null): void {
    if (text === null) {
      rmSync(path, { recursive: true, force: true });
      return;
    }
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    } catch (error) {
      // The file is left unchanged if a start has replaced it by a directory, or a parent directory by a file.
      if (!['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
}
