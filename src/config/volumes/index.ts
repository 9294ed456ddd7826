/**
 * What a Pod without root must mount so that config.json comes true in it. Nothing is written, and nothing is asked of a
 * cluster: it works on a developer's machine.
 *
 *   config.json -> its mounts -> user (whom most entries name) -> entries (each one's owner, mode and place, or why not)
 *     -> layout (which volume each mount is from; what kolla-init mounts to fill them) -> size of what lies in memory
 *     -> the Pod's spec
 *
 * An owner that can't be had without root is one of `problems`, with its entry and the fix; the rest is planned
 * nevertheless. What is wrong with the document itself is ConfigError, with all of it.
 */
import { accessSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { treeOf } from '../image.ts';
import { isShared, mountsFor, type Mount } from '../mounts.ts';
import { readAccounts, type Accounts } from '../owner.ts';
import { readConfig } from '../read.ts';
import { explainEntries, unknownOwners, type EntryPlan } from './entries.ts';
import { kollaAccounts } from './kolla-users.ts';
import { isIn, layOut, type Layout } from './layout.ts';
import { podSpec, type PodSpec } from './pod-spec.ts';
import { sizeLimit } from './size.ts';
import { choosePodUser, type PodUser } from './user.ts';

export type { OwnerRule } from '../owner.ts';
export type { EntryPlan } from './entries.ts';
export type { Place } from './layout.ts';
export type { Container, PodSpec } from './pod-spec.ts';
export type { PodUser } from './user.ts';

export interface PodPlanOptions {
  /** As for putting it in place. */
  readonly configDir: string;
  readonly configFile: string | undefined;
  /** Where the image is unpacked; undefined: users are Kolla's, and what the image has is unknown. */
  readonly imageRoot: string | undefined;
  /** NAME, UID or UID:GID to run as, instead of the one that config.json names most. */
  readonly user: string | undefined;
  /** Of the container and the ConfigMap; the user's name where there is none. */
  readonly name: string | undefined;
  /** Directories that other parts of kolla-init fill for these sources of config.json, such as the CA store. */
  readonly more: (sources: readonly string[]) => Promise<readonly string[]>;
  /** Words after `kolla-init --root DIR`. */
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
  /** Undefined when there is no user to run as. */
  readonly spec: PodSpec | undefined;
  /** Empty when all of it can be had without root. */
  readonly problems: readonly string[];
}

/** Rejects with ConfigError when config.json is not there or not right, or the image's accounts can't be read. */
export async function planPod(options: PodPlanOptions): Promise<PodPlan> {
  const { configDir, configFile, imageRoot: root } = options;
  const loaded = await readConfig(configDir, configFile);
  if (loaded === undefined) throw new ConfigError(`no config.json in ${configDir}; name one: kolla-init plan CONFIG`);
  const accounts = root === undefined ? kollaAccounts() : await accountsOf(root);
  const { file, document } = loaded;
  const more = await options.more(document.config_files.map(({ source }) => source));
  const wanted = [...(await mountsFor(loaded, { root })), ...more.map((path) => filledDirectory(path, root))];
  const mounts = root === undefined ? wanted.map((mount) => ({ ...mount, path: withoutLinks(mount.path) })) : wanted;
  const layout = layOut(mounts, document);
  const { user, problem } = choosePodUser(document, accounts, options.user);
  if (user !== undefined) refuseUnknown(file, unknownOwners(document, accounts, user), root);
  const entries = user === undefined ? [] : explainEntries(document, layout, accounts, user, treeOf({ root }));
  const failed = entries.flatMap(({ entry, problem: why }) => (why === undefined ? [] : [`${entry}: ${why}`]));
  const unseen = mounts
    .filter(({ path }) => isShared(path))
    .flatMap((mount) => mount.entries.map(unseenIn(mount.path)));
  const problems = [...(problem === undefined ? [] : [problem]), ...unseen, ...failed];
  if (user === undefined) return { file, user, entries, layout, spec: undefined, problems };
  const limit = await sizeLimit(loaded, layout, root);
  return { file, user, entries, layout, spec: podSpec({ ...options, user, layout, limit }), problems };
}

/** Links that each of Kolla's images has, as its distributions do; kolla-init, which sees the image, follows them. */
const LINKS = [
  ['/bin', '/usr/bin'],
  ['/sbin', '/usr/sbin'],
  ['/lib', '/usr/lib'],
  ['/lib64', '/usr/lib64'],
  ['/var/run', '/run'],
  ['/var/lock', '/run/lock'],
] as const;

/** A directory copied over a shared one mounts what is in it, each by itself. */
function unseenIn(directory: string): (entry: string) => string {
  return (entry) =>
    `${entry}: its source can't be seen here, and all of ${directory} can't be mounted; put the source beside config.json`;
}

function withoutLinks(path: string): string {
  const [link, target] = LINKS.find(([from]) => isIn(path, from)) ?? ['', ''];
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

async function accountsOf(root: string): Promise<Accounts> {
  try {
    accessSync(join(root, 'etc/passwd'));
  } catch (cause) {
    throw new ConfigError(`--image ${root} is no unpacked image: ${messageOf(cause)}`, { cause });
  }
  return await readAccounts(root);
}
