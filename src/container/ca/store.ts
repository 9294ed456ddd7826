import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isReadOnlyMount } from '../../config/mount-points.ts';
import { checkReadable } from '../../config/set-configs/links.ts';
import { Tree, type Place } from '../../config/set-configs/tree.ts';
import { ExitCode, KollaError, messageOf, NotPermittedError, UnavailableError } from '../../core/errors.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { bytesOf } from '../../fs/content.ts';
import { Directory } from '../../fs/tree.ts';
import { isWithin } from '../../fs/within.ts';

/** Where a distribution keeps the certificates that its owner adds, and what makes its bundle of them. */
export interface CaStore {
  readonly directory: string;
  readonly update: string;
  /** Which file names the update reads. */
  readonly reads: RegExp;
  /** What the update makes, as a whole. */
  readonly made: string;
  /** The files of it that hold every authority, one after the other; the first is what programs read by default. */
  readonly bundles: readonly [string, ...string[]];
  /** The directory of it where OpenSSL looks an authority up by its hash; not every release has it. */
  readonly hashed: string;
}

export const DEBIAN_UPDATE = 'update-ca-certificates';
const DEBIAN: CaStore = {
  directory: '/usr/local/share/ca-certificates',
  update: DEBIAN_UPDATE,
  reads: /\.crt$/,
  made: '/etc/ssl/certs',
  bundles: ['/etc/ssl/certs/ca-certificates.crt'],
  hashed: '/etc/ssl/certs',
};
const EXTRACTED = '/etc/pki/ca-trust/extracted';
const REDHAT: CaStore = {
  directory: '/etc/pki/ca-trust/source/anchors',
  update: 'update-ca-trust',
  reads: /(?:)/,
  made: EXTRACTED,
  bundles: [
    `${EXTRACTED}/pem/tls-ca-bundle.pem`,
    `${EXTRACTED}/pem/email-ca-bundle.pem`,
    `${EXTRACTED}/pem/objsign-ca-bundle.pem`,
    `${EXTRACTED}/openssl/ca-bundle.trust.crt`,
  ],
  hashed: `${EXTRACTED}/pem/directory-hash`,
};

/** Of every distribution that Kolla has images of. */
export const STORES: readonly CaStore[] = [DEBIAN, REDHAT];

/** Every place where a certificate of ours may lie: they all begin with `kolla`. */
const PLACES = ['/etc/ssl/certs', DEBIAN.directory, REDHAT.directory];
const OURS = 'kolla';
/** What each of the deployment's certificates is called in the store. */
export const OUR_PREFIX = `${OURS}-customca-`;

const STATE = '/etc/kolla/defaults/state';
export const SHARED_SOURCE = '/var/lib/kolla/share/ca-certificates';
export const OWN_SOURCE = '/var/lib/kolla/config_files/ca-certificates';

/** The image's store. Throws KollaError for a distribution that Kolla has no images of, with the 1 of Kolla's script. */
export function storeOf(root: string): CaStore {
  const store = knownStoreOf(root);
  if (store !== undefined) return store;
  throw new KollaError(
    ExitCode.no,
    'Unsupported OS: neither /etc/debian_version nor /etc/redhat-release is there, so it is unknown how this image keeps CA certificates',
  );
}

/** The same; undefined for another distribution. */
export function knownStoreOf(root: string): CaStore | undefined {
  if (isThere(join(root, '/etc/debian_version'))) return DEBIAN;
  return isThere(join(root, '/etc/redhat-release')) ? REDHAT : undefined;
}

/** As it was read, once: what takes its name afterwards is not looked at. */
interface SourceFile {
  /** Without links. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

export interface Sources {
  readonly directory: string;
  /** Name in the store -> the file to copy. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** What is there and is not copied: each its name and why. */
  readonly skipped: readonly string[];
}

/** The certificates that the deployment adds. Kolla names each `kolla-customca-NAME`. */
export function sourcesOf(root: string): Sources {
  // The text and not the JSON, blank included: kolla_set_configs writes the file for exactly this reader.
  const state = unlessAbsent(() => readFileSync(join(root, STATE), 'utf8'));
  const directory = state?.includes(`"source": "${SHARED_SOURCE}"`) ? SHARED_SOURCE : OWN_SOURCE;
  return { ...sourcesIn(join(root, directory)), directory };
}

/**
 * The same of one directory; none when it is not there. Links are followed within it, as a ConfigMap's lead through `..data`. A
 * link that leads out of it is not: root would copy any file into a store that all users can read. The directory itself may be
 * one, unless another user could have put it there. It is held: what takes its name meanwhile is not looked at.
 * @throws ForeignLinkError (exit 1); NotPermittedError, and UnavailableError where it is changed while it is read
 */
export function sourcesIn(directory: string): Sources {
  try {
    return readAll(directory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    const message = `cannot read the CA certificates in ${directory}: ${messageOf(cause)}`;
    throw code === 'EACCES' || code === 'EPERM'
      ? new NotPermittedError(message, { cause })
      : new UnavailableError(message, { cause });
  }
}

function readAll(directory: string): Sources {
  const files = new Map<string, SourceFile>();
  const skipped: string[] = [];
  using tree = new Tree('/');
  using handle = openIn(tree, directory);
  for (const name of handle?.list().toSorted() ?? []) {
    if (name.startsWith('.')) continue;
    const { path, entry } = tree.find(join(handle!.path, name), true);
    const isOutside = entry !== undefined && !isWithin(handle!.path, path);
    const file = entry === undefined || isOutside ? undefined : readSource(handle!, path);
    if (isOutside) skipped.push(`${name} is a link to ${path}, outside of this directory,`);
    else if (file === undefined) skipped.push(`${name} is no file,`);
    else files.set(`${OUR_PREFIX}${name}`, file);
  }
  return { directory, files, skipped };
}

function openIn(tree: Tree, path: string): Directory | undefined {
  const maker = { uid: process.geteuid!(), gid: process.getegid!() };
  let place: Place | undefined;
  checkReadable(
    maker,
    (onLink) => (place = tree.find(path, true, onLink)),
    (handle) => handle.onDisk !== undefined && isReadOnlyMount(tree.held(handle).fd),
  );
  if (place?.entry?.kind !== 'directory') return undefined;
  return Directory.below('/', place.path);
}

/** Undefined for what is no file. A link that was put on the way since is an error. */
function readSource(root: Directory, path: string): SourceFile | undefined {
  using handle = root.openBelow(dirname(path.slice(root.path.length)));
  const found = handle.read(basename(path));
  return found && { path, content: bytesOf(found.content), mode: found.stats.mode };
}

/** Every file and link of ours in the store and in what is made of it. Directories keep their names. */
export function present(root: string): string[] {
  const found: string[] = [];
  for (const place of PLACES) collect(join(root, place), found);
  return found;
}

function collect(directory: string, found: string[]): void {
  for (const entry of unlessAbsent(() => readdirSync(directory, { withFileTypes: true })) ?? []) {
    if (entry.isDirectory()) collect(join(directory, entry.name), found);
    else if (entry.name.startsWith(OURS)) found.push(join(directory, entry.name));
  }
}

function isThere(path: string): boolean {
  return unlessAbsent(() => lstatSync(path)) !== undefined;
}
