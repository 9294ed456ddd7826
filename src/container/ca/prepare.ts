/**
 * The image's CA store for a container without root: replaced by a volume, which kolla-init fills.
 *
 *   image's store -> seeded below root (existing files are kept) -> the deployment's certificates checked, added as
 *   files, by their hashes and to each bundle -> those of an earlier run that are no longer deployed removed
 *
 * Bundles are re-created from the image's own on each run, so a removed certificate is removed from them as well. Each
 * file is old or new at any moment. A file without a certificate is 65, and nothing is touched then.
 */
import {
  accessSync,
  constants,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checkPlace } from '../../config/place.ts';
import { ConfigError, UnavailableError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { makeDirectories } from '../../fs/directory.ts';
import { Replacer } from '../../fs/replacer.ts';
import { writeError } from '../../fs/write-error.ts';
import { certificatesOfSources, chosenSources, isDirectory, type Added } from './added.ts';
import { bundleWith } from './pem.ts';
import { knownStoreOf, OUR_PREFIX, STORES, storeOf, type CaStore } from './store.ts';
import { linkNameOf, putFile, putHash, seed } from './write.ts';
import { subjectHash } from './subject-hash.ts';

export { bringsCaCertificates } from './added.ts';

interface PrepareDeps {
  /** Root of the image's own store: `/` in its container. */
  readonly image: string;
  /** Root of the volume. */
  readonly root: string;
  /** Directory that replaces /var/lib/kolla/config_files. */
  readonly configDir: string;
  /**
   * Whether config.json names certificates. If so, the service's volume must not stay empty, even if there are no
   * certificates.
   */
  readonly asked: boolean;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The directories that a container without root needs as volumes for its CA store, for the image's distribution. */
export function caVolumes(image: string): string[] {
  const { made, directory } = storeOf(image);
  return [made, directory];
}

/**
 * Checks that prepareCaStore will be able to write, before anything else is written.
 * @throws ConfigError for a link out of the volume; NotPermittedError or UnavailableError for a system error
 */
export function checkCaStore({ image, root, configDir, asked }: Omit<PrepareDeps, 'signal' | 'log'>): void {
  if (!hasToPrepare(configDir, root, asked)) return;
  // If the image has no store, this is reported later.
  const store = knownStoreOf(image);
  for (const directory of store === undefined ? [] : [store.made, store.directory]) {
    const place = join(root, directory);
    try {
      checkInside(root, directory);
      accessSync(nearestPresent(place), constants.W_OK | constants.X_OK);
    } catch (error) {
      throw refused(place, error);
    }
  }
}

/** Throws RangeError if a link redirects the directory out of the volume. */
function checkInside(root: string, directory: string): void {
  const top = realpathSync.native(root);
  checkPlace(top, join(top, directory, 'x'), false);
}

function nearestPresent(path: string): string {
  return unlessAbsent(() => statSync(path)) === undefined ? nearestPresent(dirname(path)) : path;
}

function hasToPrepare(configDir: string, root: string, asked: boolean): boolean {
  return asked || chosenSources(configDir, root) !== undefined || isPreparedBefore(root);
}

function refused(place: string, error: unknown): unknown {
  const what = `cannot prepare the CA certificates in ${place}`;
  if (error instanceof RangeError) return new ConfigError(`${what}: ${error.message}`, { cause: error });
  return writeError(what, 'mount a volume there that this user may write', error);
}

/**
 * Fills the store below root, if there are certificates to add or remove, or config.json names them. Returns the number
 * of the deployment's certificates, or undefined if there was nothing to do.
 * @throws ConfigError for a file without a certificate, or a link out of the volume; NotPermittedError or
 * UnavailableError for a system error
 */
export function prepareCaStore(deps: PrepareDeps): number | undefined {
  const { image, root, configDir, asked, signal, log } = deps;
  if (!hasToPrepare(configDir, root, asked)) return undefined;
  const sources = chosenSources(configDir, root);
  const store = storeIn(image);
  const added: Added = sources === undefined ? new Map() : certificatesOfSources(sources, store, log);
  using replacer = new Replacer();
  try {
    for (const directory of [store.made, store.directory, store.hashed, ...store.bundles.map((b) => dirname(b))])
      checkInside(root, directory);
    for (const directory of [store.made, store.directory]) {
      signal.throwIfAborted();
      // Bundles are built below from the image's own bundles.
      const way = { from: join(image, directory), to: join(root, directory) };
      seed(replacer, way, new Set(store.bundles.map((b) => basename(b))), log);
    }
    writeStore(deps, store, added, replacer);
    replacer.sync();
  } catch (error) {
    throw refused(join(root, store.made), error);
  }
  const count = [...added.values()].flat().length;
  log.info(`the CA store in ${join(root, store.made)} is the image's own and ${count} of the deployment's`);
  return count;
}

function isPreparedBefore(root: string): boolean {
  return STORES.flatMap(({ directory }) => unlessAbsent(() => readdirSync(join(root, directory))) ?? []).some((name) =>
    name.startsWith(OUR_PREFIX),
  );
}

function writeStore({ image, root, signal, log }: PrepareDeps, store: CaStore, added: Added, replacer: Replacer): void {
  const wanted = new Set<string>();
  makeDirectories(join(root, store.directory), 0o755);
  for (const [name, list] of added) {
    signal.throwIfAborted();
    const text = Buffer.from(list.map((certificate) => certificate.toString()).join(''));
    putFile(replacer, join(root, store.directory, name), text);
    wanted.add(join(root, store.directory, name));
    if (!isDirectory(join(root, store.hashed))) continue;
    const pem = linkNameOf(name);
    putFile(replacer, join(root, store.hashed, pem), text);
    wanted.add(join(root, store.hashed, pem));
    for (const hash of new Set(list.map(subjectHash)))
      wanted.add(putHash(replacer, join(root, store.hashed, hash), pem, wanted));
  }
  for (const bundle of store.bundles) {
    const own = unlessAbsent(() => readFileSync(join(image, bundle), 'latin1'));
    if (own === undefined && bundle !== store.bundles[0]) continue;
    if (own === undefined) log.warn(`the image has no ${bundle}: the deployment's certificates are the only ones`);
    makeDirectories(join(root, bundle, '..'), 0o755);
    const text = bundleWith(own ?? '', [...added.values()].flat());
    putFile(replacer, join(root, bundle), Buffer.from(text, 'latin1'));
  }
  for (const directory of [store.directory, store.hashed]) removeOurs(join(root, directory), wanted, log);
}

/** Removes entries of an earlier run. The image's own entries never have this prefix. */
function removeOurs(directory: string, wanted: ReadonlySet<string>, log: Log): void {
  for (const entry of unlessAbsent(() => readdirSync(directory, { withFileTypes: true })) ?? []) {
    const path = join(directory, entry.name);
    const target = entry.isSymbolicLink() ? readlinkSync(path) : entry.name;
    if (!target.startsWith(OUR_PREFIX) || wanted.has(path)) continue;
    unlinkSync(path);
    log.info(`removed ${path}`);
  }
}

function storeIn(image: string): CaStore {
  try {
    return storeOf(image);
  } catch (error) {
    throw new UnavailableError(messageOf(error), { cause: error });
  }
}
