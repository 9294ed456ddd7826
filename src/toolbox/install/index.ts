/**
 * Installs the binary and its names in a directory, for containers whose image has neither: an init container fills a
 * shared volume.
 *
 *   our own executable -> DIR/kolla-pod                     unchanged if the content is equal; not with --core
 *   kolla-core, if it is next to it -> DIR/kolla-core       the same
 *   every name         -> DIR/bin/NAME                      links to one of the two; to kolla-core only those that sudo runs as root
 *   sudo               -> DIR/rootless-bin/sudo             a link, only for images without root
 *   -> is it executable there, by every uid?
 *
 * Each file is complete or missing, and the binary precedes its links, so after a kill the next run finishes. Errors: a
 * DIR that is not a directory, or without a volume (65), a volume that is full or mounted noexec (69), no write
 * permission (77).
 */
import { isSea } from 'node:sea';
import { resolve, dirname, join } from 'node:path';
import { constants, type Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { command, type Command, type Helper } from '../../cli/command.ts';
import { codeOf, ConfigError, ExitCode, reasonOf, UnavailableError, UsageError } from '../../core/errors.ts';
import { RAISED_NAMES } from '../../cli/raised.ts';
import { isCoreName } from './core-names.ts';
import { layoutOf, madeDirectory, placeNames } from './place-names.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { may } from '../../fs/access.ts';
import { writeError } from '../../fs/write-error.ts';
import { placeBinary } from './place-binary.ts';

/** Copies the binary and its links into a shared volume. */
export function installOf(helpers: () => readonly Helper[]): Command {
  return command({
    // In an init container.
    isForPeople: false,
    summary: 'Copies the binary and its links into a directory shared by containers.',
    description:
      "For images without kolla-pod: an init container runs this, and the service's container mounts the same " +
      'volume. Files are installed atomically; up-to-date files are not touched. DIR then contains ' +
      'the binaries, links with all names in `bin/`, and sudo in `rootless-bin/`.',
    operands: [{ name: 'DIR', help: 'mount point of the shared volume in this container' }],
    options: [
      {
        flag: 'from',
        type: 'path',
        env: 'KOLLA_POD_INSTALL_FROM',
        help: 'executable to copy (default: this one)',
        example: '/dist/kolla-pod',
      },
      {
        flag: 'core',
        type: 'boolean',
        env: 'KOLLA_POD_INSTALL_CORE',
        help: 'install only kolla-core and its links',
        details: 'For a Pod that does not migrate.',
        example: 'true',
      },
    ],
    examples: [
      { line: 'kolla-pod install /opt/kolla-pod', does: 'in an init container' },
      {
        line: 'kolla-pod install /shared',
        does: 'the service may mount the volume elsewhere: links are relative',
      },
    ],
    async run({ operands: [directory = ''], options: { from, core } }, { signal, log }) {
      if (directory === '' || /[\n\0]/.test(directory)) throw new UsageError('install: DIR is not a path');
      // If run from source, the executable is node.
      if (from === undefined && !isSea())
        throw new UsageError('install: this is not the binary; set it with --from FILE');
      await install(
        {
          directory: resolve(directory),
          source: from ?? process.execPath,
          names: helpers().map(({ name }) => name),
          isCoreOnly: core ?? false,
        },
        signal,
        log,
      );
      return ExitCode.ok;
    },
  });
}

interface InstallOptions {
  readonly directory: string;
  /** The executable to copy. */
  readonly source: string;
  /** Names to create as links. */
  readonly names: readonly string[];
  /** Installs only `kolla-core`, which must be in the same directory. */
  readonly isCoreOnly: boolean;
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const EVERYBODY_READS = 0o005;

/**
 * Installs the files, or finds everything installed.
 * @throws ConfigError, UnavailableError, NotPermittedError as described above
 */
export async function install(options: InstallOptions, signal: AbortSignal, log: Log): Promise<void> {
  const { directory, isCoreOnly } = options;
  await executableAt(options.source);
  const core = await coreBeside(options.source);
  if (isCoreOnly && core === undefined)
    throw new UnavailableError(
      `install: --core: there is no kolla-core next to ${options.source}; use the image kolla-pod, or leave --core out`,
    );
  const source = isCoreOnly ? core! : options.source;
  const binary = join(directory, isCoreOnly ? 'kolla-core' : 'kolla-pod');
  const names = isCoreOnly ? options.names.filter(isCoreName) : options.names;
  const leftOut = core === undefined ? names.filter((name) => RAISED_NAMES.has(name)) : [];
  const executable = await executableAt(source);
  try {
    await madeDirectory(directory);
    await checkPlace(binary, source, executable);
    const isBoth = core !== undefined && !isCoreOnly;
    const isNewCore = isBoth && (await placeBinary(core, join(directory, 'kolla-core'), signal));
    const isNew = (await placeBinary(source, binary, signal)) || isNewCore;
    const changes = await placeNames(directory, layoutOf(names, core !== undefined));
    if (!may(binary, constants.X_OK))
      throw new UnavailableError(`install: ${binary} can't be run: mount ${directory} without noexec`);
    const what = isNew ? 'installed' : changes > 0 ? 'missing names added' : 'up to date';
    log.info(what, { directory, names: names.length - leftOut.length });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw errorOf(error, directory, executable.size);
  }
  if (leftOut.length > 0)
    log.warn(
      `no links ${leftOut.join(', ')}: only kolla-core may run through sudo, and there is none next to ${options.source}; ` +
        'use the image kolla-pod, which has both',
    );
  const { mode } = await stat(directory);
  if ((mode & EVERYBODY_READS) !== EVERYBODY_READS)
    log.warn('other users can’t enter this directory: chmod o+rx, or run the service as its owner or group', {
      directory,
    });
}

/** The path of kolla-core next to the source; undefined if there is none, and kolla-pod gets all names. */
async function coreBeside(source: string): Promise<string | undefined> {
  const core = join(dirname(await realpath(source)), 'kolla-core');
  return (await stat(core).catch(ignoreAbsent))?.isFile() === true ? core : undefined;
}

async function executableAt(source: string): Promise<Stats> {
  try {
    const found = await stat(source);
    if (found.isFile() || found.isFIFO()) return found;
  } catch (cause) {
    throw new UnavailableError(`install: can't read the executable ${source}: ${reasonOf(cause)}`, { cause });
  }
  throw new UnavailableError(`install: ${source} is not a file`);
}

/**
 * Rejects a DIR in which the binary is a directory or this executable itself. Our own image has the binary under DIR:
 * without a volume there, everything would seem to be installed, and no other container would see it.
 */
async function checkPlace(binary: string, source: string, executable: Stats): Promise<void> {
  const there = await lstat(binary).catch(ignoreAbsent);
  if (there?.isDirectory())
    throw new ConfigError(`install: ${binary} is a directory in place of the binary: rename it, or use another DIR`);
  const isItself = there?.ino === executable.ino && there.dev === executable.dev;
  if (isItself && (await realpath(binary)) !== (await realpath(source)))
    throw new ConfigError(
      `install: ${binary} is this executable itself, under another name: mount a volume on ${dirname(binary)}`,
    );
}

function errorOf(cause: unknown, directory: string, size: number): unknown {
  const mib = Math.ceil(size / 2 ** 20);
  const what = `install: cannot write into ${directory}`;
  if (FULL.has(codeOf(cause) ?? ''))
    return new UnavailableError(
      `${what}: it is full. The binary takes ${mib} MiB, and twice that while it is replaced: give the volume ${2 * mib + 8} MiB`,
      { cause },
    );
  return writeError(what, 'mount a volume there that this uid may write (fsGroup)', cause);
}
