import { ConfigError, messageOf } from '../cli/errors.ts';
import { suggestion } from '../cli/nearest.ts';
import { isBelow, type Overlay } from './overlays/overlay.ts';
import { ownershipFor, type Accounts, type Identity, type Ownership } from './owner.ts';
import { under } from './place.ts';
import type { Loaded } from './read.ts';
import type { Document, FileEntry } from './schema.ts';
import { matchesOf } from './sources.ts';
import { copyStep, directoryStep, type Step } from './step.ts';

export interface PermissionStep {
  readonly entry: string;
  /** A glob, as config.json says it, not yet under a root. */
  readonly pattern: string;
  readonly mode: number | undefined;
  readonly owner: Ownership;
  readonly recurse: boolean;
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly permissions: readonly PermissionStep[];
  /** Sources of optional entries that are not there. */
  readonly absent: readonly string[];
  /** What config.json asks and this version does not do, by name. */
  readonly notDone: readonly string[];
}

export interface PlanOptions {
  readonly root: string;
  readonly configDir: string;
  readonly accounts: Accounts;
  readonly me: Identity;
  /** This pod's own values in the files. */
  readonly overlay?: Overlay | undefined;
}

/**
 * Looks everything up (owners, sources, destinations) and reads what will be written, so that applying can fail only
 * where the system fails. Touches nothing. Throws ConfigError with every problem, each with its entry and the fix.
 */
export async function planConfig({ file, document }: Loaded, options: PlanOptions): Promise<Plan> {
  const planner = new Planner(options);
  for (const [i, { path, owner, perm, recurse, exclude }] of document.directories.entries()) {
    const entry = `directories[${i}]`;
    const target = under(options.root, path);
    const ids = await planner.owner(entry, owner);
    if (ids === undefined) continue;
    await planner.step(entry, () => directoryStep(entry, target, perm ?? 0o755, ids, options.root));
    if (recurse && exclude === undefined)
      planner.permissions.push({ entry, pattern: escapeGlob(path), mode: perm, owner: ids, recurse });
  }
  for (const [i, item] of document.config_files.entries()) await planner.copy(`config_files[${i}]`, item);
  for (const [i, { path, owner, perm, recurse, exclude }] of document.permissions.entries()) {
    const entry = `permissions[${i}]`;
    const ids = await planner.owner(entry, owner);
    if (ids !== undefined && exclude === undefined)
      planner.permissions.push({ entry, pattern: path, mode: perm, owner: ids, recurse });
  }
  if (planner.problems.length === 0) planner.notPlaced();
  if (planner.problems.length > 0)
    throw new ConfigError(`${file}: ${planner.problems.join('; ')}. Nothing was touched.`);
  const { steps, permissions, absent } = planner;
  return { steps: [...steps.values()], permissions, absent, notDone: notDone(document) };
}

/** A list of every file would bury the message. */
const SUGGESTED_MAX = 10;

/** Collects steps, and every problem instead of only the first. */
class Planner {
  /** By path: a later entry for the same one wins, as when they are copied one after the other. */
  readonly steps = new Map<string, Step>();
  readonly permissions: PermissionStep[] = [];
  readonly absent: string[] = [];
  readonly problems: string[] = [];
  readonly #options: PlanOptions;
  readonly #absentDests: string[] = [];

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  async step(place: string, make: () => Promise<Step>): Promise<void> {
    const step = await this.#attempt(place, make);
    if (step === undefined) return;
    this.steps.delete(step.path);
    this.steps.set(step.path, step);
  }

  async owner(entry: string, owner: string): Promise<Ownership | undefined> {
    const { accounts, me } = this.#options;
    return await this.#attempt(`${entry}.owner`, () => ownershipFor(owner, accounts, me));
  }

  async copy(entry: string, item: FileEntry): Promise<void> {
    const { configDir } = this.#options;
    const asIs = item.preserve_properties || item.owner === undefined;
    const owner = asIs ? { uid: -1, gid: -1 } : await this.owner(entry, item.owner ?? '');
    const matches = await this.#attempt(`${entry}.source`, () => matchesOf(item.source, item.dest, configDir));
    if (matches?.length === 0) {
      if (item.optional) this.#leftOut(item);
      else this.problems.push(`${entry}.source: nothing is at ${item.source}; mount it, or set "optional": true`);
    }
    if (owner === undefined || matches === undefined) return;
    for (const match of matches)
      await this.step(`${entry}.dest`, () => copyStep(entry, item, match, owner, this.#options));
  }

  /** An overlay of a file that no entry puts in place would be lost without a word. */
  notPlaced(): void {
    const { overlay, root } = this.#options;
    const known = [...this.steps.values()].flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
    for (const [file, place] of overlay?.files ?? []) {
      const path = under(root, file);
      if (known.includes(path) || this.#absentDests.some((dest) => isBelow(file, dest))) continue;
      const near = suggestion(path, known.slice(0, SUGGESTED_MAX)).replaceAll(root === '/' ? '' : root, '');
      this.problems.push(`${place}.file: no entry of config_files puts ${file} in place${near}`);
    }
  }

  #leftOut({ source, dest }: FileEntry): void {
    this.absent.push(source);
    this.#absentDests.push(dest);
  }

  async #attempt<T>(place: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.problems.push(`${place}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[]/g, '[$&]');
}

const KNOWN = new Set(['command', 'config_files', 'directories', 'permissions']);

function notDone(document: Document): string[] {
  const excluded = (name: 'directories' | 'permissions') =>
    document[name].flatMap(({ exclude }, i) => (exclude === undefined ? [] : [`${name}[${i}] (it has exclude)`]));
  const preserved = document.config_files.flatMap((item, i) =>
    item.preserve_properties ? [`config_files[${i}].preserve_properties (only the mode is kept)`] : [],
  );
  const others = Object.keys(document).filter((key) => !KNOWN.has(key));
  return [...others, ...preserved, ...excluded('directories'), ...excluded('permissions')];
}
