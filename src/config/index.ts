/**
 * A container's configuration, as defined by Kolla's config.json.
 *
 *   config.yaml or config.json -> read (valibot, all problems at once) -> plan (planner: resolves owners, sources and
 *   destinations, reads contents, compares; tracking: files of earlier runs that no entry installs now; seed: content
 *   that a volume needs from the image) -> apply (save the image's own files, state, seeds, files, removals, permissions)
 *
 * Nothing is touched before apply, and a problem is exit code 65 with file, entry and fix. Apply fails only if the
 * system does (disk full, read-only); every file is then old or new, and the next run continues.
 *
 * kolla_set_configs (set-configs/) plans and executes differently: it must fail where and how Kolla's tool does, on one
 * tree and as root; here image and volume are two trees, all problems are reported at once, and owners are mapped to
 * one uid (docs/adr/0020). Both are based on tree/ (the model of the file system and its links, globs, excludes, owner
 * and mode, comparison with the final state), python/ (its values, patterns and YAML) and stored-state.
 */
import { codeOf, ConfigError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { mountPoints } from '../fs/mount-points.ts';
import { realpathSync } from 'node:fs';
import { applyPlan, type Applied } from './apply.ts';
import { withoutFiles } from './read/config-dir.ts';
import { readAccounts, type Identity } from './owner.ts';
import type { Overlay } from './overlays/overlay.ts';
import { mountsFor } from './mounts.ts';
import { planConfig, type Plan } from './plan.ts';
import { readConfig, whyAbsent, type Loaded } from './read/read.ts';
import { readTracked } from './state.ts';

export type { Identity } from './owner.ts';
export type { Image } from './image.ts';
export { mountsFor, type Mount } from './mounts.ts';
export type { Overlay } from './overlays/overlay.ts';
export { changesOf, type Plan } from './plan.ts';
export type { Step } from './model.ts';
export type { Loaded } from './read/read.ts';
export { CONFIG_DIR } from './read/config-dir.ts';

export interface ConfigOptions {
  /** Directory that replaces /var/lib/kolla/config_files, also in sources of config.json. */
  readonly configDir: string;
  /** The file to read instead of config.yaml or config.json in configDir. It must exist. */
  readonly configFile: string | undefined;
  /** The root of destinations and of the account files. */
  readonly root: string;
  /** The root of the image's content, from which volumes are filled; the default is `/`. */
  readonly image?: string | undefined;
  readonly me: Identity;
  /** Whether a missing config.json is an error: then it names this option, which allows it. */
  readonly mustExist?: string | undefined;
  /** Whether files that the service has mounted individually are written in place instead of replaced. */
  readonly writesInPlace?: boolean | undefined;
  /** Set if nothing will be written, so that destinations need not be writable. */
  readonly onlyCompare?: boolean;
  /** Per-Pod values in the files' content. */
  readonly overlay?: Overlay | undefined;
  /**
   * Validates the other parts of a version before anything is written. Rejects with KollaError.
   * @param sources of config.json's entries, as written
   */
  readonly validate?: ((sources: readonly string[]) => void) | undefined;
}

/** The plan of a run, fully resolved but not yet applied. */
export interface Planned {
  readonly loaded: Loaded;
  /** Path with links resolved. */
  readonly root: string;
  readonly plan: Plan;
}

export interface InPlace extends Applied {
  /** The container's command in config.json. */
  readonly command: string;
  /** Sources of all entries, as written in config.json. */
  readonly sources: readonly string[];
}

export interface RunContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Reads, validates and resolves everything, without writing. Undefined if there is no configuration at the default
 * path.
 */
export async function makePlan(options: ConfigOptions, { signal, log }: RunContext): Promise<Planned | undefined> {
  const loaded = await readConfig(options.configDir, options.configFile);
  if (loaded === undefined) {
    if (options.mustExist !== undefined) throw new ConfigError(`${whyAbsent(options.configDir)}; ${options.mustExist}`);
    log.info(withoutFiles(options.configDir));
    return undefined;
  }
  const root = rootOf(options.root);
  const image = realpathSync.native(options.image ?? '/');
  const needsMounts = root !== image || options.writesInPlace === true;
  const plan = planConfig(loaded, {
    ...options,
    root,
    image,
    accounts: readAccounts(root, image),
    mounts: needsMounts ? mountsFor(loaded, { root: image }) : [],
    mountPoints: mountPoints(),
    writesInPlace: options.writesInPlace ?? false,
    before: readTracked(root, root !== image),
    signal,
  });
  options.validate?.(sourcesOf(loaded));
  if (plan.unknown.length > 0) log.warn(`${loaded.file}: unknown section: ${plan.unknown.join(', ')}`);
  if (plan.absent.length > 0) log.info(`optional, not found: ${plan.absent.join(', ')}`);
  for (const [dest, names] of options.overlay?.used ?? [])
    log.debug(`applied this Pod's values to ${dest}`, { names: names.join(' ') });
  return { loaded, root, plan };
}

/** Path with links resolved. */
function rootOf(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (cause) {
    const code = codeOf(cause);
    const why = code === 'ENOENT' ? 'does not exist: mkdir it' : `cannot be read: ${messageOf(cause)}`;
    throw new ConfigError(`--root ${root} ${why}`, { cause });
  }
}

/** Applies the result of makePlan. */
export async function applyPlanned({ loaded, plan }: Planned, context: RunContext): Promise<InPlace> {
  const { command } = loaded.document;
  const applied = await applyPlan(plan, { file: loaded.file, ...context });
  return { ...applied, command, sources: sourcesOf(loaded) };
}

function sourcesOf({ document }: Loaded): string[] {
  return document.config_files.map(({ source }) => source);
}

/** Installs everything. Undefined if there is no configuration at the default path. */
export async function putInPlace(options: ConfigOptions, context: RunContext): Promise<InPlace | undefined> {
  const planned = await makePlan(options, context);
  return planned && (await applyPlanned(planned, context));
}
