/**
 * The mounts of a Pod without root for a config.json. Writes nothing and contacts no cluster: works on a developer's
 * machine.
 *
 *   config.json -> its mounts -> user (the most frequent owner) -> entries (owner, mode and place of each, or why not)
 *     -> layout (the volume of each mount; what kolla-init mounts to fill them) -> size of the in-memory volume
 *     -> the Pod's spec
 *
 * An owner that is impossible without root is reported in `problems`, with its entry and the fix; everything else is
 * still planned. Errors in the document itself throw ConfigError with all of them.
 */
import { isWithin } from '../../fs/within.ts';
import { accessSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { treeOf } from '../image.ts';
import { isShared, mountsFor, type Mount } from '../mounts.ts';
import { readAccounts, type Accounts } from '../owner.ts';
import { readConfig, whyAbsent } from '../read/read.ts';
import { explainEntries, unknownOwners, type EntryPlan } from './entries.ts';
import { kollaAccounts } from './kolla-accounts.ts';
import { layOut, type Layout } from './layout.ts';
import { podSpec, type PodSpec } from './pod-spec.ts';
import { sizeLimit } from './size.ts';
import { choosePodUser, type PodUser } from './user.ts';

export type { OwnerRule } from '../owner.ts';
export type { EntryPlan } from './entries.ts';
export type { PlannedMount } from './layout.ts';
export type { Container, PodSpec } from './pod-spec.ts';

export interface PodPlanOptions {
  /** The configuration directory, as for installing. */
  readonly configDir: string;
  readonly configFile: string | undefined;
  /** The unpacked image. If undefined, users are Kolla's and the image's content is unknown. */
  readonly imageRoot: string | undefined;
  /** NAME, UID or UID:GID to run as, instead of the most frequent owner in config.json. */
  readonly user: string | undefined;
  /** Name of the container and the ConfigMap; the default is the user's name. */
  readonly name: string | undefined;
  /** Directories filled by other parts of kolla-init for these sources, such as the CA store. */
  readonly more: (sources: readonly string[]) => readonly string[];
  /** Arguments after `kolla-init --root DIR`. */
  readonly initArguments: readonly string[];
  /** Names of environment variables that the overlays use. */
  readonly environment: readonly string[];
}

export interface PodPlan {
  /** The file that was read. */
  readonly file: string;
  readonly user: PodUser | undefined;
  readonly entries: readonly EntryPlan[];
  readonly layout: Layout;
  /** Undefined if there is no user to run as. */
  readonly spec: PodSpec | undefined;
  /** Empty if the whole configuration is possible without root. */
  readonly problems: readonly string[];
}

/** Rejects with ConfigError if config.json is missing or invalid, or the image's accounts are unreadable. */
export async function planPod(options: PodPlanOptions): Promise<PodPlan> {
  const { configDir, configFile, imageRoot: root } = options;
  const loaded = await readConfig(configDir, configFile);
  if (loaded === undefined)
    throw new ConfigError(
      `${whyAbsent(configDir)}; name the file or its directory: kolla-init plan CONFIG, or --config-dir`,
    );
  const accounts = root === undefined ? kollaAccounts() : accountsOf(root);
  const { file, document } = loaded;
  const more = options.more(document.config_files.map(({ source }) => source));
  const wanted = [...mountsFor(loaded, { root }), ...more.map((path) => filledDirectory(path, root))];
  const mounts = root === undefined ? wanted.map((mount) => ({ ...mount, path: withoutLinks(mount.path) })) : wanted;
  const layout = layOut(mounts, document);
  const { user, problem } = choosePodUser(document, accounts, options.user);
  if (user !== undefined) refuseUnknown(file, unknownOwners(document, accounts, user), root);
  using image = treeOf({ root });
  const entries = user === undefined ? [] : explainEntries(document, layout, accounts, user, image);
  const failed = entries.flatMap(({ entry, problem: why }) => (why === undefined ? [] : [`${entry}: ${why}`]));
  const unseen = mounts
    .filter(({ path }) => isShared(path))
    .flatMap((mount) => mount.entries.map(unseenIn(mount.path)));
  const problems = [...(problem === undefined ? [] : [problem]), ...unseen, ...failed];
  if (user === undefined) return { file, user, entries, layout, spec: undefined, problems };
  const limit = sizeLimit(loaded, layout, root);
  return { file, user, entries, layout, spec: podSpec({ ...options, user, layout, limit }), problems };
}

/** Links in all Kolla images, from their distributions; kolla-init, which sees the image, follows them. */
const LINKS = [
  ['/bin', '/usr/bin'],
  ['/sbin', '/usr/sbin'],
  ['/lib', '/usr/lib'],
  ['/lib64', '/usr/lib64'],
  ['/var/run', '/run'],
  ['/var/lock', '/run/lock'],
] as const;

/**
 * The problem of an entry that copies an unavailable source to a shared directory: only the source's items could be
 * mounted, individually.
 */
function unseenIn(directory: string): (entry: string) => string {
  return (entry) =>
    `${entry}: its source can't be seen here, and all of ${directory} can't be mounted; put the source ` +
    'next to config.json';
}

function withoutLinks(path: string): string {
  const [link, target] = LINKS.find(([from]) => isWithin(from, path)) ?? ['', ''];
  return target + path.slice(link.length);
}

function filledDirectory(path: string, imageRoot: string | undefined): Mount {
  const seed = imageRoot === undefined ? undefined : existsSync(join(imageRoot, path));
  return { path, kind: 'directory', entries: [], reload: 'live', seed, data: false };
}

function refuseUnknown(file: string, unknown: readonly string[], imageRoot: string | undefined): void {
  if (unknown.length === 0) return;
  const fix =
    imageRoot === undefined ? '; without --image only the users that Kolla makes in each image are known' : '';
  throw new ConfigError(`${file}: ${unknown.join('; ')}${fix}`);
}

function accountsOf(root: string): Accounts {
  try {
    accessSync(join(root, 'etc/passwd'));
  } catch (cause) {
    throw new ConfigError(`--image ${root} is not an unpacked image: ${messageOf(cause)}`, { cause });
  }
  return readAccounts(root);
}
