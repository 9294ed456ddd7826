import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findReadable } from '../../config/tree/links.ts';
import { Tree } from '../../config/tree/tree.ts';
import { codeOf, ExitCode, KollaError, NotPermittedError, reasonOf, UnavailableError } from '../../core/errors.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { lookAt } from '../../fs/access.ts';
import { bytesOf } from '../../fs/content.ts';
import { Directory } from '../../fs/tree.ts';
import { isWithin } from '../../fs/within.ts';

/** A distribution's directory for additional CA certificates, and how it updates the bundle. */
export interface CaStore {
  readonly directory: string;
  readonly update: string;
  /** Names of the files that the update reads. */
  readonly reads: RegExp;
  /** The directory that the update generates. */
  readonly made: string;
  /** The bundle files in it with all CA certificates. The first one is the default of most programs. */
  readonly bundles: readonly [string, ...string[]];
  /** The directory in it for OpenSSL's lookup by hash; missing in some releases. */
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

/** All distributions of Kolla images. */
export const STORES: readonly CaStore[] = [DEBIAN, REDHAT];

/** All directories that may contain our files, whose names start with `kolla`. */
const PLACES = ['/etc/ssl/certs', DEBIAN.directory, REDHAT.directory];
const OURS = 'kolla';
/** Prefix of the deployment's certificates in the store. */
export const OUR_PREFIX = `${OURS}-customca-`;

const STATE = '/etc/kolla/defaults/state';
export const SHARED_SOURCE = '/var/lib/kolla/share/ca-certificates';
export const OWN_SOURCE = '/var/lib/kolla/config_files/ca-certificates';

/** The image's store. For an unknown distribution it throws KollaError with exit code 1, as Kolla's script does. */
export function storeOf(root: string): CaStore {
  const store = knownStoreOf(root);
  if (store !== undefined) return store;
  throw new KollaError(
    ExitCode.no,
    'Unsupported OS: neither /etc/debian_version nor /etc/redhat-release exists, so the location of CA ' +
      'certificates is unknown',
  );
}

/** The image's store; undefined for an unknown distribution. */
export function knownStoreOf(root: string): CaStore | undefined {
  if (lookAt(join(root, '/etc/debian_version')) !== undefined) return DEBIAN;
  return lookAt(join(root, '/etc/redhat-release')) === undefined ? undefined : REDHAT;
}

/** A source file as it was read; later replacements are ignored. */
interface SourceFile {
  /** The file's path with links resolved. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

export interface Sources {
  readonly directory: string;
  /** Maps the name in the store to the source file. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Entries that were skipped, and why. */
  readonly skipped: readonly string[];
}

/** The certificates added by the deployment. Kolla names each `kolla-customca-NAME`. */
export function sourcesOf(root: string): Sources {
  // Matches the text of the JSON, including the space, because kolla_set_configs writes the file for this reader.
  const state = unlessAbsent(() => readFileSync(join(root, STATE), 'utf8'));
  const directory = state?.includes(`"source": "${SHARED_SOURCE}"`) ? SHARED_SOURCE : OWN_SOURCE;
  return { ...sourcesIn(join(root, directory)), directory };
}

/**
 * The certificates in one directory; none if it is missing. Links inside it are followed, such as a ConfigMap's through
 * `..data`. A link that leads outside is not: root would copy any file into a world-readable store. The directory
 * itself may be a link, unless another user could have created it. The directory is held open: later replacements are
 * ignored.
 * @throws ForeignLinkError (exit code 1); NotPermittedError, and UnavailableError if it changes while it is read
 */
export function sourcesIn(directory: string): Sources {
  try {
    return readAll(directory);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    const message = `cannot read the CA certificates in ${directory}: ${reasonOf(cause)}`;
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
    else if (file === undefined) skipped.push(`${name} is not a file,`);
    else files.set(`${OUR_PREFIX}${name}`, file);
  }
  return { directory, files, skipped };
}

function openIn(tree: Tree, path: string): Directory | undefined {
  const maker = { uid: process.geteuid!(), gid: process.getegid!() };
  const place = findReadable(maker, tree, path, true);
  return place.entry?.kind === 'directory' ? Directory.below('/', place.path) : undefined;
}

/** Undefined if it is not a file. A link that was inserted since the path was resolved is an error. */
function readSource(root: Directory, path: string): SourceFile | undefined {
  using handle = root.openBelow(dirname(path.slice(root.path.length)));
  const found = handle.read(basename(path));
  return found && { path, content: bytesOf(found.content), mode: found.stats.mode };
}

/** All our files and links in the store and in the generated directory. Directories themselves are not included. */
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
