import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import { sentence } from '../core/nearest.ts';
import type { PermissionStep, PlanOptions, Step } from './model.ts';
import type { Mount } from './mounts.ts';
import { checkPlace, withoutLinks } from './place.ts';
import { Planner } from './planner.ts';
import type { Loaded } from './read/read.ts';
import { seedsOf, type Seeds } from './seed.ts';
import { fileUnder, siteOf, type Site } from './site.ts';
import { SECTIONS } from './read/slips.ts';
import { track, type Tracking } from './tracking.ts';

/**
 * The actions of a run, in this order: save the image's own files, seeds, steps, restored files, removals, permissions.
 */
export interface Plan extends Tracking, Pick<PlanOptions, 'root' | 'image'> {
  readonly seeds: Seeds;
  readonly steps: readonly Step[];
  readonly permissions: readonly PermissionStep[];
  /** Sources of optional entries that do not exist. */
  readonly absent: readonly string[];
  /** Sections that Kolla does not know. */
  readonly unknown: readonly string[];
}

/**
 * Resolves owners, sources and destinations, and reads the content to write, so that applying can fail only because of
 * system errors. Writes nothing. Throws ConfigError with all problems, each with its entry and the fix, or the signal's
 * reason.
 */
export function planConfig({ file, document }: Loaded, options: PlanOptions): Plan {
  using site = siteOf(options);
  const planner = new Planner(options, site);
  for (const [i, item] of document.permissions.entries()) planner.permission(`permissions[${i}]`, item);
  for (const [i, item] of document.directories.entries()) planner.directory(`directories[${i}]`, item);
  for (const [i, item] of document.files.entries()) planner.file(`files[${i}]`, item);
  for (const [i, item] of document.config_files.entries()) planner.copy(`config_files[${i}]`, item);
  options.signal.throwIfAborted();
  planner.conflicts();
  if (planner.problems.length === 0) planner.notPlaced();
  const { permissions, absent, problems, replaced } = planner;
  const made = [...planner.steps.values()];
  const directories = new Map<string, string>();
  const tracking = planner.attempt('the state of the run before', () =>
    track({ site, me: options.me, before: options.before, steps: made, replaced }),
  );
  const steps = planner.attempt('mounts', () => made.map((step) => placed(step, site, options, directories)));
  const seeds = tracking && planner.attempt('mounts', () => seedsFor(planner, tracking, options));
  for (const { path } of [...(tracking?.restored ?? []), ...(tracking?.removals ?? [])])
    planner.attempt(path, () => checkChangeable(path, site, options, directories));
  if (problems.length > 0 || tracking === undefined || steps === undefined || seeds === undefined)
    throw new ConfigError(`${file}: ${sentence(problems)} Nothing was touched.`);
  const { root, image } = options;
  return { root, image, ...tracking, seeds, steps, permissions, absent, unknown: unknownKeys(document) };
}

/** Number of files, links and directories of config.json that are not up to date. */
export function changesOf({ steps, restored, removals }: Pick<Plan, 'steps' | 'restored' | 'removals'>): number {
  return [...steps, ...restored].filter(({ isRight }) => !isRight).length + removals.length;
}

export const MOUNT_POINT =
  'it is itself a mount point, which cannot be replaced; mount its directory instead, or mount the file elsewhere';

/** Checked before anything is written, because the system would fail with EBUSY halfway. */
function placed(step: Step, site: Site, options: PlanOptions, directories: Map<string, string>): Step {
  if (step.kind === 'directory') return step;
  const isFileMount = (mount: Mount) => mount.kind === 'file' && fileUnder(site, mount.path) === step.path;
  const isMountPoint = options.mountPoints.has(truePath(step.path, directories));
  // If a service has mounted the file from our volume, only the service sees that mount; at `/` it is visible here too.
  const keepsInode = options.writesInPlace && (options.root !== options.image || isMountPoint);
  if (step.kind === 'file' && keepsInode && options.mounts.some(isFileMount)) return { ...step, inPlace: true };
  if (step.isRight || site.onlyCompare || !isMountPoint) return step;
  throw new RangeError(`${step.entry}: ${step.path}: ${MOUNT_POINT}`);
}

function checkChangeable(
  path: string,
  site: Site,
  { mountPoints }: PlanOptions,
  directories: Map<string, string>,
): void {
  if (site.onlyCompare) return;
  if (mountPoints.has(truePath(path, directories))) throw new RangeError(MOUNT_POINT);
  checkPlace(site.root, path, true);
}

/**
 * The path with its parents' links resolved.
 * @param known cache of directories, since many files share one
 */
function truePath(path: string, known: Map<string, string>): string {
  const directory = dirname(path);
  const real = known.get(directory) ?? withoutLinks(directory) ?? directory;
  known.set(directory, real);
  return join(real, basename(path));
}

function seedsFor({ site, steps, replaced }: Planner, tracking: Tracking, options: PlanOptions): Seeds {
  const { root, image, me, mounts } = options;
  if (site.tree === undefined || site.onlyCompare) return { steps: [], unreadable: [] };
  const going = new Set(tracking.removals.map(({ path }) => path));
  const replacedPaths = replaced.map((directory) => fileUnder(site, directory));
  const isTaken = (path: string) =>
    steps.has(path) || going.has(path) || replacedPaths.some((directory) => path.startsWith(`${directory}/`));
  return seedsOf(mounts, { root, image, me, isTaken });
}

const KNOWN = new Set<string>(SECTIONS);

function unknownKeys(document: object): string[] {
  return Object.keys(document).filter((key) => !KNOWN.has(key));
}
