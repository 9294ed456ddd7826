import { escapeGlob } from '../tree/glob.ts';
import { configFile, copyConfigFile, deletePath, makeParents, type ConfigFile } from './config-file.ts';
import { SetConfigsError, unexpected } from '../failure/failure.ts';
import { naming } from '../tree/links.ts';
import { basename, isTrue, join, mappings, text, type Mapping } from '../python/values.ts';
import { parseState, stateText, type State } from '../stored-state.ts';
import type { Tree } from '../tree/tree.ts';
import type { Work } from './work.ts';

/** Where the image's own files are saved while the deployment's files are installed. */
const DEFAULTS = '/etc/kolla/defaults';
const STATE = `${DEFAULTS}/state`;

/**
 * Restores the image's own files, and saves those that the configuration replaces for the first time. The saved files
 * remain those of the image, unlike with Kolla's own tool, which swaps the paths and saves the deployed files from the
 * third start.
 */
export function handleDefaults(work: Work, document: Mapping): void {
  const { changes } = work;
  changes.makeDirectories(DEFAULTS);
  const state = readState(changes.tree);
  restore(work, document, state);
  keep(work, document, state);
  changes.write(STATE, Buffer.from(stateText(state)));
}

/** Throws exit code 2, with the fix, if the file exists and is not a valid state. */
export function readState(tree: Tree): Map<string, string | null> {
  if (tree.stat(STATE) === undefined) return new Map();
  try {
    return parseState(tree.read(STATE).toString());
  } catch (cause) {
    const fix = 'an earlier start was stopped while writing it; re-create the container from its image';
    throw unexpected(`${STATE} is not what this tool writes: ${fix}`, { cause });
  }
}

function restore(work: Work, document: Mapping, state: State): void {
  const { tree } = work.changes;
  const merged = new Set(
    mappings(document, 'config_files').flatMap((entry) => (isTrue(entry['merge']) ? [trackedDest(entry)] : [])),
  );
  for (const [dest, saved] of state) {
    // A merged directory also contains files of the service.
    const isMerged = merged.has(dest) && tree.isDirectory(dest);
    naming(STATE, () => {
      if (saved !== null) copyBack(work, saved, dest, isMerged);
      else if (!isMerged && tree.lstat(dest) !== undefined) work.changes.remove(dest);
    });
  }
}

function keep(work: Work, document: Mapping, state: Map<string, string | null>): void {
  const { tree } = work.changes;
  for (const [i, entry] of mappings(document, 'config_files').entries()) {
    const given = text(entry['dest'], 'dest');
    if (state.has(given)) continue;
    const dest = trackedDest(entry);
    // Python treats a number as a file descriptor, and fails later, when it copies the file.
    const { source } = entry;
    if (typeof source === 'number' || typeof source === 'boolean') continue;
    if (tree.stat(text(source, 'source')) === undefined || state.has(dest)) continue;
    if (given === '') throw unexpected(`config_files[${i}].dest: is empty: write an absolute path`);
    if (tree.lstat(dest) === undefined) {
      state.set(dest, null);
      continue;
    }
    const real = tree.find(dest, true).path;
    if (real === '/' || `${DEFAULTS}/`.startsWith(`${real}/`))
      throw unexpected(`${dest} can't be replaced: it contains ${DEFAULTS}, where the image's own files are saved`);
    naming(`config_files[${i}].dest`, () => work.changes.checkSource(dest, false));
    const saved = DEFAULTS + dest;
    copyBack(work, dest, saved, false);
    state.set(dest, saved);
  }
}

/** The path that identifies an entry in the state. */
export function trackedDest(entry: Mapping): string {
  const dest = text(entry['dest'], 'dest');
  return dest.endsWith('/') ? dest + basename(text(entry['source'], 'source')) : dest;
}

/** Copies with all attributes, including links. The paths are not patterns. */
function copyBack(work: Work, source: string, dest: string, merge: boolean): void {
  const { tree } = work.changes;
  if (tree.lstat(source) === undefined)
    throw new SetConfigsError('MissingRequiredSource', `${source} file is not found`);
  const file: ConfigFile = configFile({ source, dest, preserve_properties: true, merge }, 'state');
  copyWithLinks(work, file, source, dest);
}

function copyWithLinks(work: Work, file: ConfigFile, source: string, dest: string): void {
  const { tree } = work.changes;
  const { kind, target } = tree.lstat(source)!;
  if (!file.merge) deletePath(work, dest);
  makeParents(work, dest);
  if (kind === 'link') {
    deletePath(work, dest);
    work.lines.info(`Copying ${source} to ${dest}`);
    work.changes.link(target!, dest);
  } else if (kind === 'directory' && hasLinks(tree, source)) {
    if (!tree.isDirectory(dest)) {
      work.lines.info(`Creating directory ${dest}`);
      work.changes.makeDirectories(dest);
    }
    work.changes.preserve(source, dest);
    for (const name of tree.list(source))
      copyWithLinks(work, { ...file, merge: true }, join(source, name), join(dest, name));
  } else copyConfigFile(work, { ...file, source: escapeGlob(source), dest, merge: true });
}

function hasLinks(tree: Tree, directory: string): boolean {
  return tree.list(directory).some((name) => {
    const path = join(directory, name);
    const kind = tree.lstat(path)?.kind;
    return kind === 'link' || (kind === 'directory' && hasLinks(tree, path));
  });
}
