/**
 * The work of Debian's update-ca-certificates for a deployment's certificates, without its shell and `openssl rehash`,
 * which read every certificate of the image for a second at each start.
 *
 *   /etc/ca-certificates.conf, /usr/local/share/ca-certificates -> the store's files, in its order
 *   -> each of the image's has its link in /etc/ssl/certs, and no hook is installed; otherwise the script has to run
 *   -> ours: a link by name, a link by hash for a file with one certificate; links of an earlier run removed
 *   -> ca-certificates.crt: all files, one after the other
 *
 * Everything is decided before the first write. After a kill the next run completes the work.
 */
import { constants, lstatSync, readFileSync, readdirSync, readlinkSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import type { Certificate } from '#digest';
import type { Log } from '../../core/log.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { lookAt, may } from '../../fs/access.ts';
import { Replacer } from '../../fs/replacer.ts';
import { certificatesOf, isCertificatesOnly } from './pem.ts';
import { OUR_PREFIX } from './store.ts';
import { subjectHash } from './subject-hash.ts';
import { linkNameOf, putFile, putHash } from './write.ts';

const CONF = '/etc/ca-certificates.conf';
const PACKAGED = '/usr/share/ca-certificates';
const LOCAL = '/usr/local/share/ca-certificates';
const CERTS = '/etc/ssl/certs';
const BUNDLE = 'ca-certificates.crt';
const HOOKS = '/etc/ca-certificates/update.d';
/** Labels files for SELinux; the script calls it if it is installed. */
const RESTORECON = '/sbin/restorecon';
const NEWLINE = Buffer.from('\n');

/** A file in the store. */
interface Member {
  readonly path: string;
  /** Name of the file's link in /etc/ssl/certs. */
  readonly link: string;
  readonly content: Buffer;
}

/** A certificate file of the deployment. */
interface Ours extends Member {
  /**
   * Name of its link by hash, without the number; undefined for a file with several certificates, or for one that the
   * image has.
   */
  readonly hash: string | undefined;
}

interface Plan {
  readonly members: readonly Member[];
  readonly ours: readonly Ours[];
}

/**
 * Updates the store below root.
 * @returns false, without a change, if the script itself has to run: the image has a hook, or a store that the script
 * would change
 * @throws the system's error for a failed write
 */
export function updateDebianStore(root: string, log: Log): boolean {
  const plan = planOf(root);
  if (plan === undefined) return false;
  const { members, ours } = plan;
  using replacer = new Replacer();
  const wanted = new Set<string>();
  for (const { path, link, hash } of ours) {
    const at = join(root, CERTS, link);
    wanted.add(at);
    replacer.link(at, path);
    if (hash !== undefined) wanted.add(putHash(replacer, hash, link, wanted));
  }
  removeStaleLinks(root, wanted);
  putFile(replacer, join(root, CERTS, BUNDLE), Buffer.concat(members.flatMap(({ content }) => ended(content))));
  replacer.sync();
  log.info(`updated ${CERTS}: ${ours.length} of the deployment's among ${members.length} files of certificates`);
  return true;
}

/** Undefined if the script has to run, which also reports a file that cannot be read. */
function planOf(root: string): Plan | undefined {
  try {
    const members = hasHooks(root) || !statSync(join(root, CERTS)).isDirectory() ? undefined : membersOf(root);
    if (members?.every((member) => isOurs(member) || isLinked(root, member)) !== true) return undefined;
    const own = members.filter(isOurs);
    if (!own.every(({ content }) => isCertificatesOnly(content.toString('latin1')))) return undefined;
    return { members, ours: own.map((member) => ({ ...member, hash: hashOf(root, member) })) };
  } catch (error) {
    if (error instanceof RangeError || codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

function hashOf(root: string, { content }: Member): string | undefined {
  const [certificate, ...more] = certificatesOf(content.toString('latin1'));
  if (certificate === undefined || more.length > 0) return undefined;
  const prefix = join(root, CERTS, subjectHash(certificate));
  return isHashed(prefix, certificate) ? undefined : prefix;
}

/** Whether the script would execute a hook or restorecon. */
function hasHooks(root: string): boolean {
  const names = unlessAbsent(() => readdirSync(join(root, HOOKS))) ?? [];
  return names.some((name) => /^[\w-]+$/.test(name)) || may(join(root, RESTORECON), constants.X_OK);
}

/** The files in the store; undefined if the script would warn about a file or change it. */
function membersOf(root: string): readonly Member[] | undefined {
  const conf = unlessAbsent(() => readFileSync(join(root, CONF), 'utf8'));
  if (conf === undefined || conf === '') return undefined;
  const lines = conf.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const removed = lines.filter((line) => line.startsWith('!')).map((line) => linkNameOf(basename(line)));
  if (removed.some((link) => lookAt(join(root, CERTS, link)) !== undefined)) return undefined;
  const local = localFiles(root, LOCAL);
  if (local === undefined) return undefined;
  const packaged = lines.filter((line) => !line.startsWith('!')).map((line) => `${PACKAGED}/${line}`);
  const members = [...packaged, ...local].map((path) => memberOf(root, path));
  const isWhole = members.every((member) => member !== undefined);
  // Two files with the same name would use the same link.
  return isWhole && new Set(members.map(({ link }) => link)).size === members.length ? members : undefined;
}

function memberOf(root: string, path: string): Member | undefined {
  const content = unlessAbsent(() => readFileSync(join(root, path)));
  return content && { path, link: linkNameOf(basename(path)), content };
}

/** The files in a directory tree; undefined if a link leads to another directory. */
function localFiles(root: string, directory: string): readonly string[] | undefined {
  const found: string[] = [];
  const entries = unlessAbsent(() => readdirSync(join(root, directory), { withFileTypes: true })) ?? [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${directory}/${entry.name}`;
    const kind = entry.isSymbolicLink() ? unlessAbsent(() => statSync(join(root, path))) : entry;
    if (kind?.isDirectory() && entry.isSymbolicLink()) return undefined;
    const below = kind?.isDirectory() ? localFiles(root, path) : [];
    if (below === undefined) return undefined;
    found.push(...below);
    if (kind?.isFile() && path.endsWith('.crt')) found.push(path);
  }
  return found;
}

function isOurs({ path }: Member): boolean {
  return basename(path).startsWith(OUR_PREFIX);
}

function isLinked(root: string, { path, link }: Member): boolean {
  return unlessAbsent(() => targetOf(join(root, CERTS, link))) === path;
}

function targetOf(path: string): string | undefined {
  return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
}

/**
 * Whether the image has the same certificate under its hash, as a link or a copy. OpenSSL's own tool then creates no
 * second link.
 */
function isHashed(prefix: string, { raw }: Certificate): boolean {
  for (let n = 0; ; n++) {
    const there = lookAt(`${prefix}.${n}`);
    if (there === undefined) return false;
    const content = unlessAbsent(() => readFileSync(`${prefix}.${n}`));
    const isSame = content && certificatesIn(content).some((certificate) => certificate.raw.equals(raw));
    if (isSame && targetOf(`${prefix}.${n}`)?.startsWith(OUR_PREFIX) !== true) return true;
  }
}

function certificatesIn(content: Buffer): readonly Certificate[] {
  const text = content.toString('latin1');
  return isCertificatesOnly(text) ? certificatesOf(text) : [];
}

/** Removes our links, by name or by hash, that are no longer wanted. */
function removeStaleLinks(root: string, wanted: ReadonlySet<string>): void {
  for (const entry of readdirSync(join(root, CERTS), { withFileTypes: true })) {
    const path = join(root, CERTS, entry.name);
    if (!entry.isSymbolicLink() || wanted.has(path)) continue;
    if (basename(readlinkSync(path)).startsWith(OUR_PREFIX)) unlinkSync(path);
  }
}

function ended(content: Buffer): readonly Buffer[] {
  return content.length === 0 || content.at(-1) === NEWLINE[0] ? [content] : [content, NEWLINE];
}
