import { lstatSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode, KollaError } from '../../core/errors.ts';
import { unlessAbsent } from '../../fs/absent.ts';

/** Where a distribution keeps the certificates that its owner adds, and what makes its bundle of them. */
export interface CaStore {
  readonly folder: string;
  readonly update: string;
  /** Which file names the update reads. */
  readonly reads: RegExp;
  /** What the update makes, as a whole. */
  readonly made: string;
  /** The files of it that hold every authority, one after the other; the first is what programs read by default. */
  readonly bundles: readonly [string, ...string[]];
  /** The folder of it where OpenSSL looks an authority up by its hash; not every release has it. */
  readonly hashed: string;
}

const DEBIAN: CaStore = {
  folder: '/usr/local/share/ca-certificates',
  update: 'update-ca-certificates',
  reads: /\.crt$/,
  made: '/etc/ssl/certs',
  bundles: ['/etc/ssl/certs/ca-certificates.crt'],
  hashed: '/etc/ssl/certs',
};
const EXTRACTED = '/etc/pki/ca-trust/extracted';
const REDHAT: CaStore = {
  folder: '/etc/pki/ca-trust/source/anchors',
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
const PLACES = ['/etc/ssl/certs', DEBIAN.folder, REDHAT.folder];
const OURS = 'kolla';
/** What each of the deployment's certificates is called in the store. */
export const OUR_PREFIX = `${OURS}-customca-`;

const STATE = '/etc/kolla/defaults/state';
export const SHARED_SOURCE = '/var/lib/kolla/share/ca-certificates';
export const OWN_SOURCE = '/var/lib/kolla/config_files/ca-certificates';

/** The image's store. Throws KollaError for a distribution that Kolla has no images of, with the 1 of Kolla's script. */
export async function storeOf(root: string): Promise<CaStore> {
  if (isThere(join(root, '/etc/debian_version'))) return DEBIAN;
  if (isThere(join(root, '/etc/redhat-release'))) return REDHAT;
  throw new KollaError(
    ExitCode.no,
    'Unsupported OS: neither /etc/debian_version nor /etc/redhat-release is there, so it is unknown how this image keeps CA certificates',
  );
}

export interface Sources {
  readonly folder: string;
  /** Name in the store -> real path of the file to copy. */
  readonly files: ReadonlyMap<string, string>;
  /** What is there and is not copied: each its name and why. */
  readonly skipped: readonly string[];
}

/** The certificates that the deployment adds. Kolla names each `kolla-customca-NAME`. */
export async function sourcesOf(root: string): Promise<Sources> {
  // The text and not the JSON, blank included: kolla_set_configs writes the file for exactly this reader.
  const state = unlessAbsent(() => readFileSync(join(root, STATE), 'utf8'));
  const folder = state?.includes(`"source": "${SHARED_SOURCE}"`) ? SHARED_SOURCE : OWN_SOURCE;
  return { ...(await sourcesIn(join(root, folder))), folder };
}

/**
 * The same of one directory; none when it is not there. Links are followed within it, as a ConfigMap's lead through `..data`,
 * and so may the directory itself be one. A link that leads out of it is not: root would copy any file into a store that all
 * users can read.
 */
export async function sourcesIn(folder: string): Promise<Sources> {
  const files = new Map<string, string>();
  const skipped: string[] = [];
  // Once, so that a ConfigMap that is updated meanwhile is read as the old one.
  const real = unlessAbsent(() => realpathSync(folder));
  const names = real === undefined ? [] : readdirSync(real).toSorted();
  for (const name of names.filter((each) => !each.startsWith('.'))) {
    const file = unlessAbsent(() => realpathSync(join(real!, name)));
    if (file !== undefined && !file.startsWith(`${real}/`))
      skipped.push(`${name} is a link to ${file}, outside of this directory,`);
    else if (file !== undefined && statSync(file).isFile()) files.set(`${OUR_PREFIX}${name}`, file);
    else skipped.push(`${name} is no file,`);
  }
  return { folder, files, skipped };
}

/** Every file and link of ours in the store and in what is made of it. Folders keep their names. */
export async function present(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const place of PLACES) collect(join(root, place), found);
  return found;
}

function collect(folder: string, found: string[]): void {
  for (const entry of unlessAbsent(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) collect(path, found);
    else if (entry.name.startsWith(OURS)) found.push(path);
  }
}

function isThere(path: string): boolean {
  return unlessAbsent(() => lstatSync(path)) !== undefined;
}
