import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Stats } from 'node:fs';
import { codeOf, ConfigError, messageOf, NotPermittedError, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { escapeGlob } from '../../config/tree/glob.ts';
import { CONFIG_DIR } from '../../config/read/config-dir.ts';
import { readConfig, type Loaded } from '../../config/read/read.ts';
import { matchesOf, sourcePath, type Match } from '../../config/read/sources.ts';
import { isWithin } from '../../fs/within.ts';

/** Maximum size of a ConfigMap or Secret without its keys, as the API server checks it. */
export const MAX_BYTES = 1_048_576;
/** Maximum number of files and directories, which links to directories can multiply. No volume contains that many. */
const MAX_NAMES = 5_000;

/** A file in the directory. */
export interface ConfigFile {
  /** The path relative to the directory, with slashes. */
  readonly path: string;
  readonly bytes: Buffer;
  /** The mode of the source, for entries that keep it. */
  readonly mode: number;
  /** The entries of config.json that install the file. */
  readonly entries: readonly Entry[];
}

interface Entry {
  /** The entry: `config_files[0]`. */
  readonly name: string;
  /** The mode in config.json; undefined if it is the source's. */
  readonly perm: number | undefined;
}

interface CollectContext {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * All files of a directory, sorted by path, with their entries in config.json.
 * @param isExcluded files to skip, which may be missing
 * @throws ConfigError if config.json is missing or invalid, refers to a missing file, or exceeds the limits of a
 * ConfigMap; NotPermittedError for an unreadable file
 */
export async function collect(
  dir: string,
  isExcluded: (path: string) => boolean,
  { signal, log }: CollectContext,
): Promise<ConfigFile[]> {
  const loaded = await readConfig(await directoryAt(dir), undefined);
  if (loaded === undefined) throw await noConfig(dir);
  const paths = await pathsIn(dir, isExcluded, signal);
  const entries = entriesOf(loaded, paths, isExcluded);
  const files: ConfigFile[] = [];
  for (const [path, found] of paths) {
    signal.throwIfAborted();
    if (found.stats.size > MAX_BYTES) throw tooLarge(dir, path, found.stats.size);
    const bytes = await readFile(found.real).catch((error: unknown) => refused(join(dir, path), error));
    if (bytes.length > MAX_BYTES) throw tooLarge(dir, path, bytes.length);
    files.push({ path, bytes, mode: found.stats.mode & 0o777, entries: entries.get(path) ?? [] });
  }
  const untaken = files.filter(isUntaken);
  // These files are included, because the service may read them in the mounted directory.
  if (untaken.length > 0)
    log.info(
      `no entry of config.json installs these; --exclude omits them: ${untaken.map(({ path }) => path).join(', ')}`,
    );
  return files;
}

/** Whether no entry installs the file. config.json itself is read and not installed. */
export function isUntaken({ path, entries }: ConfigFile): boolean {
  return entries.length === 0 && !/^config\.(?:json|yaml)$/.test(path);
}

interface Found {
  /** The path with links resolved. */
  readonly real: string;
  readonly stats: Stats;
}

async function directoryAt(dir: string): Promise<string> {
  const stats = await stat(dir).catch((error: unknown) => refused(dir, error));
  if (!stats.isDirectory()) throw new ConfigError(`${dir} is a file; name the directory with config.json`);
  return dir;
}

async function noConfig(dir: string): Promise<ConfigError> {
  const below = await Promise.all(
    (await readdir(dir, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) =>
        (await stat(join(dir, name, 'config.json')).catch(() => undefined)) === undefined ? [] : [name],
      ),
  );
  const names = below.flat().toSorted();
  const fix =
    names.length > 0
      ? `name one of the directories in it, such as ${join(dir, names[0]!)}`
      : 'name the directory that kolla-ansible wrote for one service, /etc/kolla/SERVICE';
  return new ConfigError(`no config.json in ${dir}; ${fix}`);
}

/** All files below the directory by path. Links that stay inside are followed, and excluded files are not read. */
async function pathsIn(
  dir: string,
  isExcluded: (path: string) => boolean,
  signal: AbortSignal,
): Promise<Map<string, Found>> {
  const root = await realpath(dir);
  const paths = new Map<string, Found>();
  let seen = 0;
  const walk = async (directory: string, above: readonly string[]): Promise<void> => {
    const names = await readdir(directory).catch((error: unknown) => refused(directory, error));
    // `..data` and similar names belong to the kubelet's update of a ConfigMap, not to its content.
    for (const name of names.filter((each) => !each.startsWith('..')).toSorted()) {
      signal.throwIfAborted();
      if (++seen > MAX_NAMES)
        throw new ConfigError(`${dir} holds more than ${MAX_NAMES} files and directories; is it the right directory?`);
      const at = join(directory, name);
      if (isExcluded(relative(dir, at))) continue;
      if (name.includes('\uFFFD')) throw new ConfigError(`${at}: its name is not UTF-8; rename it`);
      const real = await realpath(at).catch((error: unknown) => refused(at, error));
      if (!isWithin(root, real))
        throw new ConfigError(
          `${at} is a link to ${real}, outside of ${dir}; put the file itself there, or leave it out: --exclude`,
        );
      const stats = await stat(real).catch((error: unknown) => refused(at, error));
      if (stats.isDirectory()) {
        if (above.includes(real)) throw new ConfigError(`${at} is a link to one of its parent directories; remove it`);
        await walk(at, [...above, real]);
      } else if (stats.isFile()) paths.set(relative(dir, at), { real, stats });
      else throw new ConfigError(`${at} is neither a file nor a directory; remove it, or leave it out: --exclude`);
    }
  };
  await walk(dir, [root]);
  return paths;
}

/**
 * The entries that install each file. Sources elsewhere in the container don't belong to us.
 * @throws ConfigError for an entry without a matching file
 */
function entriesOf(
  { file, configDir, document }: Loaded,
  paths: ReadonlyMap<string, Found>,
  isExcluded: (path: string) => boolean,
): Map<string, Entry[]> {
  const taken = new Map<string, Entry[]>();
  const directory = resolve(configDir);
  // Only the source is a pattern, and not the name of the directory.
  const literalDirectory = escapeGlob(directory);
  for (const [i, { source, dest, perm, optional, preserve_properties: preserved }] of document.config_files.entries()) {
    if (!isWithin(CONFIG_DIR, source)) continue;
    if (isExcluded(relative(directory, sourcePath(source, directory)))) continue;
    const name = `config_files[${i}]`;
    let matches: Match[];
    try {
      matches = matchesOf(source, dest, literalDirectory);
    } catch (error) {
      throw new ConfigError(`${file}: ${name}: ${reasonOf(error)}`, { cause: error });
    }
    const found = matches.map((match) => relative(directory, match.source));
    const present = found.filter((path) => paths.has(path));
    if (present.length === 0 && !optional && !found.some(isExcluded))
      throw nothingFor(`${file}: ${name}`, source, matches.length > 0);
    const entry = { name, perm: preserved ? undefined : (perm ?? undefined) };
    for (const path of present) taken.set(path, [...(taken.get(path) ?? []), entry]);
  }
  return taken;
}

function nothingFor(place: string, source: string, isEmptyDirectory: boolean): ConfigError {
  const why = isEmptyDirectory ? 'is an empty directory, which a ConfigMap cannot contain' : 'is not in the directory';
  return new ConfigError(`${place}: ${source} ${why}; put a file there, or make the entry optional`);
}

function tooLarge(dir: string, path: string, size: number): ConfigError {
  return new ConfigError(
    `${join(dir, path)} has ${size} bytes, and the limit of a ConfigMap or Secret is ${MAX_BYTES} (1 ` +
      `MiB): mount it from a separate volume and omit it here, --exclude ${path}`,
  );
}

function refused(path: string, cause: unknown): never {
  const code = codeOf(cause);
  if (code === 'EACCES' || code === 'EPERM')
    throw new NotPermittedError(`${path} is not readable; run as a user who may read it`, { cause });
  const why = code === 'ENOENT' ? 'is missing, or a dangling link' : messageOf(cause);
  throw new ConfigError(`${path}: ${why}`, { cause });
}
