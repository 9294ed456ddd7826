import { sameContent } from './changes.ts';
import { configFile, matchesOf, type ConfigFile } from './config-file.ts';
import { readState, trackedDest } from './defaults.ts';
import { SetConfigsError } from './failure.ts';
import { userAndGroup } from './owners.ts';
import { parseMode, searchable } from './permissions.ts';
import { isTrue, join, mappings, text, type Mapping } from './python.ts';
import type { Entry } from './tree.ts';
import type { Work } from './work.ts';

/** One file or folder that an entry puts in place. */
interface Placed {
  readonly source: string;
  readonly dest: string;
}

/** Whether what is in place is what the configuration asks for. Throws exit 1, with the first difference, when not. */
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
  const files = entries.map((entry, i) => configFile(entry, `config_files[${i}]`));
  // Of two entries for one destination, the later one is what is in place.
  const last = new Map(files.flatMap((file) => allOf(work, file).map(({ dest }) => [dest, file])));
  for (const file of files) checkFile(work, file, last);
}

function checkCommand({ changes }: Work, document: Mapping): void {
  const { tree } = changes;
  const running = tree.stat('/run_command') === undefined ? undefined : tree.read('/run_command').toString();
  if (document['command'] === running) return;
  const wanted = text(document['command'], 'command');
  const what = running === undefined ? 'there is no /run_command' : running;
  throw new SetConfigsError('ConfigFileCommandDiffers', `Running command differs. ${wanted} != ${what}`);
}

function checkFile(work: Work, file: ConfigFile, last: ReadonlyMap<string, ConfigFile>): void {
  const bad = matchesOf(work, file).filter(
    ([source, dest]) =>
      !walk(work, { source, dest }).every((placed, i) => last.get(placed.dest) !== file || same(work, file, placed, i)),
  );
  if (bad.length === 0) return;
  const list = bad.map(([source]) => `'${source}'`);
  throw new SetConfigsError('ConfigFileBadState', `Following files are in bad state: [${list.join(', ')}]`);
}

function allOf(work: Work, file: ConfigFile): Placed[] {
  return matchesOf(work, { ...file, optional: true }).flatMap(([source, dest]) => walk(work, { source, dest }));
}

/** The source itself and all below it. */
function walk(work: Work, { source, dest }: Placed): Placed[] {
  const { tree } = work.changes;
  if (!tree.isDirectory(source)) return [{ source, dest }];
  const inside = tree.list(source).map((name) => ({ source: join(source, name), dest: join(dest, name) }));
  return [{ source, dest }, ...inside.flatMap((one) => walk(work, one))];
}

function same(work: Work, file: ConfigFile, { source, dest }: Placed, depth: number): boolean {
  const { tree } = work.changes;
  const [from, to] = [tree.stat(source), tree.stat(dest)];
  if (file.merge && file.preserve && tree.lstat(source)?.kind === 'link' && from?.kind !== 'directory')
    return tree.lstat(source)?.target === tree.lstat(dest)?.target;
  if (from === undefined || to === undefined) return false;
  if (from.kind === 'directory') {
    // Kolla doesn't look at the folder itself, which other entries may share.
    return to.kind === 'directory' && (depth === 0 || sameMode(work, file, from, to, 'dir'));
  }
  if (to.kind !== 'file' || !sameContent(from, to)) {
    work.lines.error(`The content of source file(${source}) and dest file(${dest}) are not equal.`);
    return false;
  }
  return sameMode(work, file, from, to, 'file') && sameOwner(work, file, from, to);
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

/** Undefined for a perm that is none. */
function wantedMode(perm: unknown, from: Entry, what: 'dir' | 'file'): number | undefined {
  // A chown after the copy takes setuid and setgid away from a file.
  if (!isTrue(perm)) return what === 'dir' ? from.mode : from.mode & ((from.mode & 0o010) === 0 ? ~0o4000 : ~0o6000);
  try {
    const mode = parseMode(perm, 'perm');
    return what === 'dir' ? searchable(mode) : mode;
  } catch {
    return undefined;
  }
}

function sameOwner({ lines, owners }: Work, file: ConfigFile, from: Entry, to: Entry): boolean {
  const [user, group] = file.preserve
    ? [owners.userName(from.uid), owners.groupName(from.gid)]
    : userAndGroup(file.owner, `${file.place}.owner`);
  for (const [what, wanted, actual] of [
    ['user', user, owners.userName(to.uid)],
    ['group', group, owners.groupName(to.gid)],
  ] as const) {
    if (wanted === actual) continue;
    lines.error(`Dest file does not have expected ${what}: ${wanted}, actual: ${actual} `);
    return false;
  }
  return true;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
