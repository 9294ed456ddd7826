/**
 * A container's configuration, as Kolla's config.json asks for it.
 *
 *   config.yaml or config.json -> read (valibot, every problem at once) -> plan (planner: owners, sources and destinations
 *   looked up, contents read, compared with what is there; tracking: what earlier runs installed and no entry asks for
 *   now; seed: what a volume needs of the image) -> apply (image's own kept, state, seeds, files, removals, permissions)
 *
 * Until apply nothing is touched, and a problem is exit 65 with file, entry and fix. Apply fails only where the system
 * does (full, read-only); every file is then wholly old or wholly new, and the next run goes on.
 * kolla_set_configs (set-configs/) is an engine of its own: it must stop where, and with what, Kolla's tool does, on one
 * tree and as root; here image and volume are two trees, all problems are told at once, and owners are bent to one uid.
 */
import { ConfigError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { realpathSync } from 'node:fs';
import { applyPlan, type Applied } from './apply.ts';
import { readAccounts, type Identity } from './owner.ts';
import type { Overlay } from './overlays/overlay.ts';
import { mountPoints } from './mount-points.ts';
import { mountsFor } from './mounts.ts';
import { planConfig, type Plan } from './plan.ts';
import { readConfig, type Loaded } from './read.ts';
import { readTracked } from './state.ts';

export type { Identity } from './owner.ts';
export type { Image } from './image.ts';
export { mountsFor, type Mount } from './mounts.ts';
export type { Overlay } from './overlays/overlay.ts';
export { changesOf, type Plan } from './plan.ts';
export type { DirectoryStep, FileStep, LinkStep, Step } from './model.ts';
export type { Loaded } from './read.ts';
export { CONFIG_DIR } from './read.ts';

export interface ConfigOptions {
  /** Stands for /var/lib/kolla/config_files, also in the sources of config.json. */
  readonly configDir: string;
  /** The file to read instead of config.yaml or config.json in configDir; must be there. */
  readonly configFile: string | undefined;
  /** What destinations and accounts lie under. */
  readonly root: string;
  /** Where the image's own content lies, which volumes are seeded from; `/` unless said. */
  readonly image?: string | undefined;
  readonly me: Identity;
  /** Files that the service has mounted themselves are written where they are, instead of replaced. */
  readonly writesInPlace?: boolean | undefined;
  /** Nothing will be written: places need not be writable. */
  readonly onlyCompare?: boolean;
  /** Per-pod values on top of the files' content. */
  readonly overlay?: Overlay | undefined;
  /**
   * What else belongs to a version and must be right before anything is touched. Rejects with KollaError.
   * @param sources of config.json's entries, as written
   */
  readonly validate?: ((sources: readonly string[]) => void) | undefined;
}

/** What a run would do, all of it looked up and nothing done. */
export interface Planned {
  readonly loaded: Loaded;
  /** Without links. */
  readonly root: string;
  readonly plan: Plan;
}

export interface InPlace extends Applied {
  /** What config.json says the container runs. */
  readonly command: string;
  /** Of its entries, as written. */
  readonly sources: readonly string[];
}

interface RunContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Reads, validates and looks everything up; touches nothing. Undefined when there is no configuration at the default place. */
export async function makePlan(options: ConfigOptions, { signal, log }: RunContext): Promise<Planned | undefined> {
  const loaded = await readConfig(options.configDir, options.configFile);
  if (loaded === undefined) {
    log.info(`no config.json in ${options.configDir}: no files to install`);
    return undefined;
  }
  const root = rootOf(options.root);
  const image = realpathSync.native(options.image ?? '/');
  const needsMounts = root !== image || options.writesInPlace === true;
  const plan = await planConfig(loaded, {
    ...options,
    root,
    image,
    accounts: await readAccounts(root, image),
    mounts: needsMounts ? await mountsFor(loaded, { root: image }) : [],
    mountPoints: mountPoints(),
    writesInPlace: options.writesInPlace ?? false,
    before: await readTracked(root, root !== image),
    signal,
  });
  options.validate?.(sourcesOf(loaded));
  if (plan.unknown.length > 0) log.warn(`${loaded.file}: unknown section: ${plan.unknown.join(', ')}`);
  if (plan.absent.length > 0) log.info(`optional, not found: ${plan.absent.join(', ')}`);
  for (const [dest, names] of options.overlay?.used ?? [])
    log.debug(`laid this pod's values over ${dest}`, { names: names.join(' ') });
  return { loaded, root, plan };
}

/** Without links. */
function rootOf(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist: mkdir it' : `cannot be read: ${messageOf(cause)}`;
    throw new ConfigError(`--root ${root} ${why}`, { cause });
  }
}

/** Does what makePlan planned. */
export async function applyPlanned({ loaded, plan }: Planned, context: RunContext): Promise<InPlace> {
  const { command } = loaded.document;
  const applied = await applyPlan(plan, { file: loaded.file, ...context });
  return { ...applied, command, sources: sourcesOf(loaded) };
}

function sourcesOf({ document }: Loaded): string[] {
  return document.config_files.map(({ source }) => source);
}

/** Puts everything in place. Undefined when there is no configuration at the default place. */
export async function putInPlace(options: ConfigOptions, context: RunContext): Promise<InPlace | undefined> {
  const planned = await makePlan(options, context);
  return planned && (await applyPlanned(planned, context));
}
