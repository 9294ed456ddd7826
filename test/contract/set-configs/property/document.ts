import { SOURCE } from '../entries.ts';
import type { Random } from './random.ts';

/** Generates a config.json: mostly one that kolla-ansible would write, sometimes an invalid one. */
export interface Document {
  readonly command: unknown;
  readonly config_files?: readonly object[];
  readonly directories?: readonly object[];
  readonly files?: readonly object[];
  readonly permissions?: readonly object[];
}

/** Probability of a value that Kolla rejects. Most cases must be valid to be meaningful. */
const WRONG = 0.008;

const SOURCES =
  'a.conf a.conf b.conf c.ini d d d/ d/one.conf d/sub e link directorylink nowhere *.conf d/* d* ?.conf [ab].conf [!a]* .h* none none* *'
    .split(' ')
    .map((name) => `${SOURCE}/${name}`);
const IMAGE_SOURCES = ['/etc/svc/a.conf', '/etc/e', '/etc/svc/own.conf'];
/**
 * Directories that must not be copied into themselves, because Kolla's tool would continue until no tool can read the
 * paths.
 */
const IMAGE_DIRECTORIES = ['/etc/d', '/etc/l', '/etc/svc'];
const OUTSIDE = ['/opt/x', '/etc/new/deep/', '/var/lib/svc/'];
const DESTS = (
  '/etc/svc/a.conf /etc/svc/a.conf /etc/svc/b.conf /etc/svc/ /etc/svc/ /etc/svc /etc/d /etc/d /etc/d/ /etc/d/sub /etc/e ' +
  '/etc/new/deep/x.conf /etc/new/deep/ /etc/l /etc/l/a.conf /etc/f /etc/dangling /var/lib/svc/ /var/lib/svc/data ' +
  'etc/relative.conf /etc/svc/../svc2/x.conf /etc//svc/./c.conf /opt/x'
).split(' ');
const OWNERS = ['root', 'keystone', 'keystone', 'nova', 'nova:kolla', 'keystone:', 'kolla:nova', 'root:kolla'];
const WRONG_OWNERS = ['unknown', '42425', '', ':kolla', null, 5, 'nova:unknown', ['nova']];
const PERMS = [
  '0600',
  '0600',
  '0640',
  '0644',
  '0755',
  '0700',
  '0660',
  '0444',
  '4755',
  '2750',
  '1777',
  '600',
  '0o640',
  '',
];
const WRONG_PERMS = [600, '0x1', 'rw', '0680', '60', true, [], '0600 '];
const TRUTHS = [true, true, 'true', 'false', 1];
const FALSEHOODS = [false, false, 0, '', null];
const DIRECTORIES = [
  '/var/log/svc',
  '/var/lib/svc',
  '/etc/svc',
  '/etc/d',
  '/var/log/new/sub',
  '/var/lib/svc/',
  '/etc/l/below',
];
const PATHS = [
  ...DIRECTORIES,
  '/var/log/svc/*.log',
  '/var/log/*',
  '/etc/svc/a.conf',
  '/etc/[de]*',
  '/none',
  '/etc/f',
  '/run_command',
];
const EXCLUDES = [
  [],
  ['sub'],
  ['/sub$'],
  ['.log'],
  ['^/var/log', 'b'],
  ['none'],
  String.raw`a`,
  [String.raw`\.log\Z`],
  ['['],
];

/** @param sources paths that exist in the source */
export function documentOf(random: Random, sources: readonly string[]): Document {
  const some = (probability: number, most: number, make: () => object) =>
    random.chance(probability) ? Array.from({ length: random.int(most) + 1 }, make) : undefined;
  const sections = {
    config_files: some(0.95, 4, () => configFileOf(random, sources)),
    directories: some(0.2, 2, () => ({ path: random.pick(DIRECTORIES), ...rightsOf(random), ...recurseOf(random) })),
    files: some(0.1, 1, () => ({
      path: random.pick(['/etc/new.conf', '/etc/e', '/etc/e', '/var/log/svc/new.log', '/etc/svc/own.conf']),
      ...rightsOf(random),
    })),
    permissions: some(0.3, 2, () => permissionOf(random)),
  };
  const present = Object.entries(sections).filter(([, entries]) => entries !== undefined);
  const command = random.chance(WRONG) ? random.pick([5, null, ['x'], {}]) : random.pick(['run', 'run --all', 'ü', '']);
  return { command, ...Object.fromEntries(present) };
}

function configFileOf(random: Random, sources: readonly string[]): object {
  const isThere = sources.length > 0 && random.chance(0.7);
  const fromImage = !isThere && random.chance(0.1) ? random.pick(IMAGE_DIRECTORIES) : undefined;
  const source = isThere ? random.pick(sources) : random.pick(random.chance(0.15) ? IMAGE_SOURCES : SOURCES);
  return {
    source: random.chance(WRONG) ? 5 : (fromImage ?? source),
    dest: random.pick(fromImage ? OUTSIDE : DESTS),
    ...rightsOf(random),
    // Entries that may be missing are mostly optional.
    ...flag(random, 'optional', isThere ? 0.2 : 0.95),
    ...flag(random, 'merge', 0.25),
    ...flag(random, 'preserve_properties', 0.2),
    ...(random.chance(WRONG) ? { mode: '0600' } : {}),
  };
}

function rightsOf(random: Random): object {
  const owner = random.chance(WRONG) ? random.pick(WRONG_OWNERS) : random.pick(OWNERS);
  const perm = random.chance(WRONG) ? random.pick<unknown>(WRONG_PERMS) : random.pick(PERMS);
  return { owner, perm };
}

function flag(random: Random, name: string, probability: number): object {
  if (random.chance(probability)) return { [name]: random.pick<unknown>(TRUTHS) };
  return random.chance(0.2) ? { [name]: random.pick<unknown>(FALSEHOODS) } : {};
}

function recurseOf(random: Random): object {
  if (!random.chance(0.5)) return {};
  return { recurse: true, ...(random.chance(0.4) ? { exclude: random.pick<unknown>(EXCLUDES) } : {}) };
}

function permissionOf(random: Random): object {
  const { owner, perm } = rightsOf(random) as { owner: unknown; perm: unknown };
  return { path: random.pick(PATHS), owner, ...(random.chance(0.8) ? { perm } : {}), ...recurseOf(random) };
}
