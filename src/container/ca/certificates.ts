import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, ExitCode, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { makeDirectories } from '../../fs/directory.ts';
import { Replacer } from '../../fs/replacer.ts';
import { writeError } from '../../fs/write-error.ts';
import { updateDebianStore } from './debian.ts';
import { isCertificatesOnly } from './pem.ts';
import { DEBIAN_UPDATE, present, sourcesOf, storeOf, type CaStore, type Sources } from './store.ts';

/**
 * Mode of the files, whatever the mode of the certificate's Secret, because services also look certificates up by hash.
 */
const PUBLIC = 0o644;
/** Exists until the update after the removal of the last certificate has succeeded: nothing else tells of it. */
const PENDING = '/etc/kolla/ca-update-pending';

interface CaDeps {
  /** Root directory of all paths. */
  readonly root: string;
  /** Runs the image's own command that builds the bundle, if we can't do the same; resolves with its exit code. */
  readonly update: (command: string) => Promise<number>;
  /** Mode bits that copies don't get. */
  readonly umask: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Copies the deployment's CA certificates into the image's store, removes those no longer deployed, and updates the
 * bundle. At any moment each file is either old or new. The update runs even without a change, as long as the
 * deployment has certificates, the store has some of an earlier run or their removal is pending, so that the next run
 * completes an interrupted one. Resolves with the update's exit code, or 0. Throws KollaError for an unknown
 * distribution, and for a failed write.
 */
export async function copyCaCertificates({ root, update, umask, signal, log }: CaDeps): Promise<number> {
  const store = storeOf(root);
  const [sources, old] = [sourcesOf(root), present(root)];
  const pending = join(root, PENDING);
  if (sources.files.size === 0 && old.length === 0 && !existsSync(pending)) return 0;
  warn(sources, store, log);
  try {
    if (sources.files.size === 0) remember(pending, log);
    put(sources, join(root, store.directory), { umask, signal, log });
    for (const path of old.filter((each) => isLeftOver(each, root, store, sources))) {
      signal.throwIfAborted();
      unlinkSync(path);
      log.info(`removed ${path}`);
    }
  } catch (error) {
    throw explained(store.directory, error);
  }
  signal.throwIfAborted();
  const code = isUpdated(root, store, log) ? ExitCode.ok : await update(store.update);
  if (code === 0 && existsSync(pending)) unlinkSync(pending);
  return code;
}

/** Without it, as in an image with a read-only root, an update that fails is not repeated. */
function remember(pending: string, log: Log): void {
  try {
    makeDirectories(dirname(pending), 0o755);
    writeFileSync(pending, '');
  } catch (error) {
    log.debug(`cannot write ${pending}: ${messageOf(error)}`);
  }
}

/** False if the image's own command has to run. */
function isUpdated(root: string, store: CaStore, log: Log): boolean {
  try {
    return store.update === DEBIAN_UPDATE && updateDebianStore(root, log);
  } catch (error) {
    throw explained(store.made, error);
  }
}

function explained(directory: string, error: unknown): unknown {
  const isReadOnly = codeOf(error) === 'EROFS';
  const fix = isReadOnly ? 'mount a volume there, or add the certificates to the image' : 'run it as root';
  return writeError(`cannot update the CA certificates in ${directory}`, fix, error);
}

function put(
  { files }: Sources,
  directory: string,
  { umask, signal, log }: Pick<CaDeps, 'umask' | 'signal' | 'log'>,
): void {
  using replacer = new Replacer();
  if (files.size > 0) makeDirectories(directory, 0o755);
  for (const [name, source] of files) {
    signal.throwIfAborted();
    const { content } = source;
    const mode = isCertificatesOnly(content.toString('latin1')) ? PUBLIC : source.mode & 0o777 & ~umask;
    if ((mode & 0o004) === 0)
      log.warn(
        `${name} contains more than certificates and keeps its mode ${mode.toString(8)}: services can't read it`,
      );
    replacer.replace(join(directory, name), { content, mode, uid: -1, gid: -1 });
  }
  replacer.sync();
}

/**
 * Whether a file of an earlier run is removed. Files outside of the store's directory are, since the update re-creates
 * them; a file in it is kept if the deployment still has it, since it was just replaced.
 */
function isLeftOver(path: string, root: string, store: CaStore, { files }: Sources): boolean {
  const directory = `${join(root, store.directory)}/`;
  return !path.startsWith(directory) || !files.has(path.slice(directory.length));
}

function warn({ directory, files, skipped }: Sources, store: CaStore, log: Log): void {
  for (const one of skipped) log.warn(`${directory}/${one} and is not added to the CA certificates`);
  for (const name of [...files.keys()].filter((each) => !store.reads.test(each)))
    log.warn(`${name} is copied, but ${store.update} reads only files that end with .crt; rename its source`);
}
