import { dirname } from 'node:path';
import { ExitCode, messageOf } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { lookAt } from '../fs/access.ts';
import { Below, upwards } from './below.ts';
import { searchable } from './tree/access.ts';
import { checkExclude, excluder } from './tree/exclude.ts';
import { escapeGlob, hasMagic } from './tree/glob.ts';
import { isShared } from './mounts.ts';
import { isBelow } from './overlays/overlay.ts';
import { modeFor, ownershipFor, type Ownership } from './owner.ts';
import { NotWritableError, withoutLinks } from './place.ts';
import type { PermissionStep, PlanOptions, Step } from './model.ts';
import type { DirectoryEntry, FileEntry, PermissionEntry } from './read/schema.ts';
import { bareOf, calledBy, fileUnder, directoryUnder, nameOf, patternUnder, type Site } from './site.ts';
import { checkReadable, matchesOf, sourcePath, type Match } from './read/sources.ts';
import { copyStep, directoryStep, fileStep, type StepContext } from './step.ts';

/** Maximum number of files to suggest: a list of all files would hide the message. */
const SUGGESTED_MAX = 10;

/** Collects the requirements of all entries, and all problems instead of only the first one. */
export class Planner {
  /** Steps by path. A later entry for the same path takes precedence, as if entries were copied in order. */
  readonly steps = new Map<string, Step>();
  readonly permissions: PermissionStep[] = [];
  /** Directories that are copied as a whole, without merge. */
  readonly replaced: string[] = [];
  readonly absent: string[] = [];
  readonly problems: string[] = [];
  /** The problem of each reason, and what it concerns. */
  readonly #notWritable = new Map<string, { at: number; places: string[]; directories: Set<string> }>();
  readonly site: Site;
  readonly #options: PlanOptions;
  readonly #byDest = new Map<string, Step>();
  readonly #absentDests: string[] = [];
  /** The sources of each entry, with links resolved. */
  readonly #sources: [entry: string, source: string][] = [];

  constructor(options: PlanOptions, site: Site) {
    this.#options = options;
    this.site = site;
  }

  /** Must run before the files are planned, whose final mode depends on these entries. */
  permission(entry: string, item: PermissionEntry, early = false): void {
    const { path, recurse, perm } = item;
    const owner = this.#owner(entry, item.owner, perm);
    const mode = owner && this.attempt(`${entry}.owner`, () => ({ mode: modeFor(owner, perm) }));
    const isExcluded = this.attempt(`${entry}.exclude`, () => {
      checkExclude(item.exclude, 'it');
      return excluder(item.exclude, { place: 'it', limited: entry, code: ExitCode.badConfig });
    });
    if (owner === undefined || mode === undefined || isExcluded === undefined) return;
    const called = calledBy(this.site, path);
    const excluded = (name: string) => isExcluded(called(name));
    const place = nameOf(this.site, patternUnder(this.site, path));
    this.permissions.push({ entry, pattern: path, place, ...mode, owner, recurse, excluded, early });
  }

  directory(entry: string, item: DirectoryEntry): void {
    const owner = this.#owner(entry, item.owner, item.perm);
    if (owner === undefined) return;
    this.step(`${entry}.path`, () => {
      const found = lookAt(directoryUnder(this.site, item.path));
      const mode = item.perm === undefined ? (found?.mode ?? 0o755) & 0o7777 : searchable(item.perm);
      return directoryStep(entry, item.path, mode, owner, this.#context());
    });
    if (item.recurse) this.permission(entry, { ...item, path: escapeGlob(item.path) }, true);
  }

  /** A missing file is created empty; the content of an existing file is kept. */
  file(entry: string, item: DirectoryEntry): void {
    const mode = item.perm ?? 0o644;
    const owner = this.#owner(entry, item.owner, mode);
    if (owner === undefined) return;
    const path = fileUnder(this.site, item.path);
    const isThere = this.attempt(`${entry}.path`, () => isFile(path));
    if (isThere === true) this.permission(entry, { ...item, path: escapeGlob(item.path) }, true);
    if (isThere !== false) return;
    const image = () => ({ content: Buffer.alloc(0), ...owner, mode: modeFor(owner, mode) });
    this.step(`${entry}.path`, () => fileStep(entry, item.path, image(), this.#context()));
  }

  copy(entry: string, item: FileEntry): void {
    const { configDir, me, signal } = this.#options;
    signal.throwIfAborted();
    const asIs = item.preserve_properties || item.owner === undefined;
    const asSource: Ownership = { uid: me.uid === 0 ? 0 : -1, gid: -1, rule: 'as the source' };
    const owner = asIs ? asSource : this.#owner(entry, item.owner ?? '', item.perm ?? undefined);
    const keepsLinks = item.merge && item.preserve_properties;
    const matches = this.attempt(`${entry}.source`, () => matchesOf(item.source, item.dest, configDir, keepsLinks));
    const named = matches?.length === 0 && !hasMagic(item.source) ? [sourcePath(item.source, configDir)] : [];
    for (const source of [...(matches ?? []).map((match) => match.source), ...named])
      this.#sources.push([entry, withoutLinks(source) ?? bareOf(source)]);
    if (matches?.length === 0) {
      if (item.optional) this.#leftOut(item);
      else
        this.problems.push(
          `${entry}.source: there is no file or directory ${item.source}; mount it, or set "optional": true`,
        );
    }
    if (owner === undefined || matches === undefined) return;
    const last = item.merge ? matches : lastOf(matches, item.dest);
    if (!item.merge) this.#replace(last);
    for (const match of last) {
      signal.throwIfAborted();
      if (this.attempt(`${entry}.source`, () => checkReadable(match)))
        this.step(`${entry}.dest`, () => copyStep(entry, item, match, owner, this.#context()));
    }
  }

  step(place: string, make: () => Step): void {
    const step = this.attempt(place, make);
    if (step === undefined) return;
    // Compared by both names, because one entry may replace a link that another follows.
    const other = this.steps.get(step.path) ?? this.#byDest.get(step.dest);
    if (other !== undefined && (other.kind === 'directory') !== (step.kind === 'directory'))
      this.problems.push(`${place}: ${step.path} would be a ${step.kind}, and a ${other.kind} by ${other.entry}`);
    this.steps.delete(step.path);
    this.steps.set(step.path, step);
    this.#byDest.set(step.dest, step);
  }

  /**
   * A file of one entry can't be a directory or source of another, since all sources are read before anything is
   * written.
   */
  conflicts(): void {
    const made = [...this.steps.values()];
    const below = new Below(made);
    for (const [entry, source] of this.#sources) {
      const other =
        below.ofAnother(source, entry) ??
        upwards(source)
          .map((path) => this.steps.get(path))
          .find((step) => step !== undefined && step.kind !== 'directory' && step.entry !== entry);
      if (other !== undefined)
        this.problems.push(`${entry}.source: ${source} is installed by ${other.entry}; use that entry's source`);
    }
    for (const { entry, path } of made)
      for (const above of upwards(dirname(path))) {
        if (above.length <= this.site.root.length) break;
        const other = this.steps.get(above);
        if (other === undefined || other.kind === 'directory') continue;
        this.problems.push(
          `${entry}: ${above} would be a directory, and ${other.entry} installs a ${other.kind} there`,
        );
      }
  }

  /** Reports overlays of files that no entry installs, which would otherwise be ignored silently. */
  notPlaced(): void {
    const known = [...this.steps.values()].flatMap(({ kind, entry, dest }) =>
      kind === 'file' && entry.startsWith('config_files') ? [dest] : [],
    );
    for (const [file, place] of this.#options.overlay?.files ?? []) {
      if (known.includes(bareOf(file)) || this.#absentDests.some((dest) => isBelow(file, dest))) continue;
      const near = suggestion(file, known.slice(0, SUGGESTED_MAX));
      this.problems.push(`${place}.file: no entry of config_files installs ${file}${near}`);
    }
  }

  attempt<T>(place: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (error instanceof NotWritableError) this.#reportNotWritable(place, error);
      else this.problems.push(`${place}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** One problem for all entries: a root that may not be written concerns each of them. */
  #reportNotWritable(place: string, { directory, why }: NotWritableError): void {
    const { root } = this.#options;
    const found = this.#notWritable.get(why) ?? { at: this.problems.length, places: [], directories: new Set() };
    this.#notWritable.set(why, found);
    found.places.push(place);
    found.directories.add(directory);
    const more = found.places.length > 1 ? ` and ${found.places.length - 1} more` : '';
    const where = found.directories.has(root) ? `--root ${root}` : [...found.directories].join(', ');
    this.problems[found.at] =
      `${found.places[0]}${more}: ${where} ${why}; mount a volume there that this user may write`;
  }

  /** Files of earlier entries are dropped from a directory that this entry copies as a whole. */
  #replace(matches: readonly Match[]): void {
    const directories = matches.filter(({ kind }) => kind === 'directory').map(({ dest }) => bareOf(dest));
    for (const directory of directories.filter((one) => !directories.includes(dirname(one)))) {
      if (!isShared(directory)) this.replaced.push(directory);
      for (const [path, { entry, dest }] of this.steps)
        if (entry.startsWith('config_files') && dest.startsWith(`${directory}/`)) this.steps.delete(path);
    }
  }

  #owner(entry: string, owner: string, perm: number | undefined): Ownership | undefined {
    const { accounts, me } = this.#options;
    return this.attempt(`${entry}.owner`, () => {
      const found = ownershipFor(owner, accounts, me);
      if (perm !== undefined) modeFor(found, perm);
      return found;
    });
  }

  #context(): StepContext {
    const { me, overlay } = this.#options;
    return { site: this.site, permissions: this.permissions, me, overlay };
  }

  #leftOut({ source, dest }: FileEntry): void {
    this.absent.push(source);
    this.#absentDests.push(dest);
  }
}

/** Of several sources copied to one destination, the last one applies. */
function lastOf(matches: readonly Match[], dest: string): readonly Match[] {
  const from = matches.findLastIndex((match) => bareOf(match.dest) === bareOf(dest));
  return from === -1 ? matches : matches.slice(from);
}

/** Throws RangeError if an existing object is not a replaceable file. */
function isFile(path: string): boolean {
  const found = lookAt(path);
  if (found?.isSymbolicLink() || found?.isDirectory())
    throw new RangeError(`${path} is a ${found.isDirectory() ? 'directory' : 'link'}, and must be a file`);
  return found !== undefined;
}
