import { isSameContent } from '../../fs/content.ts';
import { userAndGroup } from '../owner.ts';
import { afterChown, octal, searchable } from '../tree/access.ts';
import { configFile, matchesOf, type ConfigFile, type Placed } from './config-file.ts';
import { readState, trackedDest } from './defaults.ts';
import { SetConfigsError } from '../failure/failure.ts';
import { naming } from '../tree/links.ts';
import { parseMode } from './permissions.ts';
import { isTrue, join, mappings, text, trimmed, type Mapping } from '../python/values.ts';
import type { Entry } from '../tree/entry.ts';
import type { Work } from './work.ts';

/** Checks that the installed files match the configuration. Throws exit code 1 with the first difference. */
export function checkConfig(work: Work, document: Mapping): void {
  checkCommand(work, document);
  const entries = mappings(document, 'config_files');
  const asked = new Set(entries.filter((entry) => isTrue(entry['dest'])).map(trackedDest));
  const dropped = [...readState(work.changes.tree).keys()].filter((dest) => !asked.has(dest));
  if (dropped.length > 0) {
    const list = dropped.toSorted().map((dest) => `'${dest}'`);
    throw new SetConfigsError(
      'StateMismatch',
      `The following config files are tracked in state but missing from the config file. ` +
        `They would be restored or removed: [${list.join(', ')}]`,
    );
  }
  const { files, invalid } = filesOf(entries);
  const last = lastOf(work, files);
  for (const file of files) checkFile(work, file, last);
  if (invalid !== undefined) throw invalid;
}

/** The entries before the first invalid one. Kolla's tool reports their differences first. */
function filesOf(entries: readonly Mapping[]): { files: readonly ConfigFile[]; invalid?: unknown } {
  const files: ConfigFile[] = [];
  try {
    for (const [i, entry] of entries.entries()) files.push(configFile(entry, `config_files[${i}]`));
    return { files };
  } catch (invalid) {
    return { files, invalid };
  }
}

/** What was last installed at each path. Of two entries or matches for one destination, the later one applies. */
function lastOf(work: Work, files: readonly ConfigFile[]): Map<string, string> {
  const last = new Map<string, string>();
  for (const file of files) {
    for (const { source, dest } of matchesOf(work, { ...file, optional: true })) {
      // Without merge, the destination is deleted first, including the content of earlier entries.
      const replaces = !file.merge || !work.changes.tree.isDirectory(source);
      const below = `${keyOf(work, dest)}/`;
      if (replaces) for (const key of last.keys()) if (key.startsWith(below)) last.set(key, '');
      for (const placed of walk(work, { source, dest })) last.set(keyOf(work, placed.dest), idOf(file, placed));
    }
  }
  return last;
}

function idOf({ place }: ConfigFile, { source }: Placed): string {
  return `${place} ${source}`;
}

/** The path that identifies a destination, however it is written: normalized, and with its parents' links resolved. */
function keyOf({ changes }: Work, dest: string): string {
  return changes.tree.find(trimmed(dest), false).path;
}

function checkCommand({ changes }: Work, document: Mapping): void {
  const { tree } = changes;
  const running = tree.stat('/run_command') === undefined ? undefined : tree.read('/run_command').toString();
  if (document['command'] === running) return;
  const wanted = text(document['command'], 'command');
  const what = running === undefined ? 'there is no /run_command' : running;
  throw new SetConfigsError('ConfigFileCommandDiffers', `Running command differs. ${wanted} != ${what}`);
}

function checkFile(work: Work, file: ConfigFile, last: ReadonlyMap<string, string>): void {
  const bad = matchesOf(work, file).filter(
    (match) =>
      !walk(work, match).every(
        (placed, i) => last.get(keyOf(work, placed.dest)) !== idOf(file, placed) || same(work, file, placed, i),
      ),
  );
  if (bad.length === 0) return;
  const list = bad.map(({ source }) => `'${source}'`);
  throw new SetConfigsError('ConfigFileBadState', `Following files are in bad state: [${list.join(', ')}]`);
}

/** The source, and everything below it. */
function walk(work: Work, { source, dest }: Placed): Placed[] {
  const { tree } = work.changes;
  if (!tree.isDirectory(source)) return [{ source, dest }];
  const inside = tree.list(source).map((name) => ({ source: join(source, name), dest: join(dest, name) }));
  return [{ source, dest }, ...inside.flatMap((one) => walk(work, one))];
}

function same(work: Work, file: ConfigFile, { source, dest }: Placed, depth: number): boolean {
  const { tree } = work.changes;
  const staysLink = file.merge && file.preserve && tree.lstat(source)?.kind === 'link';
  naming(`${file.place}.source`, () => work.changes.checkSource(source, !staysLink));
  const [from, to] = [tree.stat(source), tree.stat(dest)];
  if (staysLink && from?.kind !== 'directory') return tree.lstat(source)?.target === tree.lstat(dest)?.target;
  if (from === undefined || to === undefined) return false;
  if (from.kind === 'directory') {
    // Kolla does not check the directory itself, which other entries may share.
    return to.kind === 'directory' && (depth === 0 || sameRights(work, file, from, to, 'dir'));
  }
  if (to.kind !== 'file' || !isSameContent(tree.contentOf(from), tree.contentOf(to))) {
    work.lines.error(`The content of source file(${source}) and dest file(${dest}) are not equal.`);
    return false;
  }
  return sameRights(work, file, from, to, 'file');
}

function sameRights(work: Work, file: ConfigFile, from: Entry, to: Entry, what: 'dir' | 'file'): boolean {
  // Kolla compares `perm` and `owner` of the entry even with preserve_properties, where they do not apply. An object
  // that has them is therefore accepted: a `permissions` entry may have set them.
  if (file.preserve && file.perm === octal(to.mode) && (what === 'dir' || isOwnerNamed(work, file, to))) return true;
  return sameMode(work, file, from, to, what) && (what === 'dir' || sameOwner(work, file, from, to));
}

function isOwnerNamed(work: Work, { owner }: ConfigFile, to: Entry): boolean {
  return typeof owner === 'string' && otherOwner(work, userAndGroup(owner), to) === undefined;
}

function sameMode(
  { lines }: Work,
  { perm, preserve }: ConfigFile,
  from: Entry,
  to: Entry,
  what: 'dir' | 'file',
): boolean {
  const wanted = wantedMode(preserve ? undefined : perm, from, what);
  if (wanted === to.mode) return true;
  const expected = wanted === undefined ? String(perm) : octal(wanted);
  lines.error(
    `Dest ${what} does not have expected perm: ${expected}, actual${what === 'dir' ? '' : ':'} ${octal(to.mode)}`,
  );
  return false;
}

/** Undefined if perm is invalid. */
function wantedMode(perm: unknown, from: Entry, what: 'dir' | 'file'): number | undefined {
  if (!isTrue(perm)) return what === 'dir' ? from.mode : afterChown(from.mode);
  try {
    const mode = parseMode(perm, 'perm');
    return what === 'dir' ? searchable(mode) : mode;
  } catch (error) {
    if (!(error instanceof SetConfigsError)) throw error;
    return undefined;
  }
}

function sameOwner(work: Work, file: ConfigFile, from: Entry, to: Entry): boolean {
  const { owners, lines } = work;
  const wanted = file.preserve
    ? ([owners.userName(from.uid), owners.groupName(from.gid)] as const)
    : userAndGroup(text(file.owner, `${file.place}.owner`));
  const other = otherOwner(work, wanted, to);
  if (other !== undefined) lines.error(`Dest file does not have expected ${other} `);
  return other === undefined;
}

/** The first name that differs from the wanted one, for a message. */
function otherOwner(
  { owners }: Work,
  [user, group]: readonly [user: string, group: string],
  { uid, gid }: Entry,
): string | undefined {
  const [actualUser, actualGroup] = [owners.userName(uid), owners.groupName(gid)];
  if (user !== actualUser) return `user: ${user}, actual: ${actualUser}`;
  return group === actualGroup ? undefined : `group: ${group}, actual: ${actualGroup}`;
}
