/**
 * Unpacks Debian (and Ubuntu) packages without installing them and without root:
 *
 *   names -> apt-get update (own state, the machine's sources or one suite, its keys) -> download, with the closure of dependencies
 *         -> dpkg -x of each -> /bin, /lib ... merged into /usr -> a directory in the cache
 *
 * No maintainer script runs, so their results (users, ld.so.cache, alternatives) are missing. What can fail: no
 * apt, no network, a package missing in the release; the error contains apt's output.
 */
import { lstat, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../src/core/errors.ts';
import { cached } from './cache.ts';
import type { Capability } from './capability.ts';
import { pinOf, versionFor } from './debian-pins.ts';
import { machineSources, suiteSources } from './debian-sources.ts';
import { privateDirectory } from './directory.ts';
import { must, run, type RunOptions } from './process.ts';

interface UnpackOptions {
  /** Whether to fetch dependencies too, down to libc (default: true); false takes the list as is. */
  readonly dependencies?: boolean;
  /** Packages of the closure to leave out: libc6 for programs that run on this machine's own libc. */
  readonly except?: readonly string[];
  /** A foreign architecture in Debian's spelling: `arm64`. The sources must have it. */
  readonly architecture?: string;
  /** The only suite to take packages from, by its codename: `trixie`, `sid`; by default all sources of the machine. */
  readonly suite?: string;
  readonly signal?: AbortSignal;
}

/** A part of the cache key that changes when the unpacked result changes for the same names. */
const RECIPE_VERSION = '1';
const DEADLINE_MS = 15 * 60_000;
const UNPACK_WORKERS = 2;
const ALWAYS_THERE = ['bin', 'sbin', 'lib'];
const MERGED_INTO_USR = [...ALWAYS_THERE, 'lib32', 'lib64', 'libx32'];

/**
 * A directory with the unpacked packages, created once and cached. Do not write into it.
 * @param name of the directory in the cache
 * @param packages names in the sources, or pins of a suite: `rabbitmq-server=4.3.6-1`
 */
export async function unpackedPackages(
  name: string,
  packages: readonly string[],
  options: UnpackOptions = {},
): Promise<string> {
  const { dependencies = true, except = [] } = options;
  const madeFrom = [
    RECIPE_VERSION,
    process.arch,
    ...(options.suite === undefined ? await machineSources() : [await suiteSources(options.suite)]),
    String(dependencies),
    ...packages,
    'except',
    ...except,
    ...(options.architecture === undefined ? [] : ['architecture', options.architecture]),
  ];
  return await cached(name, madeFrom, async (directory) => {
    await using work = await privateDirectory('apt');
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
    const files = await fetched(work.path, packages, { ...options, dependencies, signal });
    const wanted = files.filter((file) => !except.includes(packageOf(file)));
    await unpack(wanted, directory, signal);
    await mergeIntoUsr(directory);
  });
}

/** Probes by fetching one small package, which is cached afterwards. */
export const canUnpackDebian: Capability = async () => {
  try {
    await unpackedPackages('apt-tried', ['base-files'], { dependencies: false });
    return undefined;
  } catch (error) {
    return `Debian packages can't be fetched and unpacked here: ${messageOf(error)}`;
  }
};

/** `usr/lib/x86_64-linux-gnu`, on any architecture. */
export async function libraryDirectories(usr: string): Promise<string[]> {
  const names = await readdir(join(usr, 'lib'));
  return names.filter((name) => name.includes('-linux-gnu')).map((name) => join(usr, 'lib', name));
}

/** Downloads the packages into `work` and returns the paths of the .deb files. */
async function fetched(
  work: string,
  packages: readonly string[],
  { dependencies, architecture, suite, signal }: UnpackOptions & { readonly signal: AbortSignal },
): Promise<string[]> {
  const options: RunOptions = { cwd: join(work, 'debs'), env: aptEnv(), signal };
  const config = await aptConfig(work, architecture, suite);
  const updated = await run('apt-get', ['-c', config, '-qq', 'update'], options);
  const fetch = dependencies ? ['-y', '--download-only', 'install'] : ['download'];
  const wanted = suite === undefined ? packages : await resolved(config, packages, suite, options);
  const got = await run('apt-get', ['-c', config, '-qq', ...fetch, ...wanted], options);
  if (got.code !== 0) {
    // A failed update exits with 0 and a warning, and is the usual reason for "not found".
    throw new Error(`apt-get ${fetch.at(-1)}: ${complaint(updated.stderr + got.stderr)}`);
  }
  const names = await readdir(options.cwd ?? work);
  return names.filter((file) => file.endsWith('.deb')).map((file) => join(work, 'debs', file));
}

/** The packages with a version in place of each pin; a version other than the pinned one is reported. */
async function resolved(
  config: string,
  packages: readonly string[],
  suite: string,
  options: RunOptions,
): Promise<string[]> {
  const found: string[] = [];
  for (const wanted of packages) {
    const { name, version } = pinOf(wanted);
    if (version === undefined) {
      found.push(name);
      continue;
    }
    // A line is `NAME | VERSION | SOURCE`, and the newest version comes first.
    const lines = await must('apt-cache', ['-c', config, 'madison', name], options);
    const offered = lines.split('\n').flatMap((line) => line.split('|')[1]?.trim() ?? []);
    const taken = versionFor(wanted, offered, suite);
    if (taken !== version) process.stderr.write(`  ${suite} no longer has ${wanted}; taken: ${taken}\n`);
    found.push(`${name}=${taken}`);
  }
  return found;
}

/** The first and last of apt's errors, the cause and the consequence, as one line. */
function complaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^[EW]: /.test(line));
  return lines.length === 0 ? stderr.slice(-2000) : [...new Set([lines.at(0), lines.at(-1)])].join('; ');
}

/** apt's state in a private directory. Its status file is empty, so that nothing counts as installed. */
async function aptConfig(work: string, architecture?: string, suite?: string): Promise<string> {
  await mkdir(join(work, 'state/lists/partial'), { recursive: true });
  await mkdir(join(work, 'debs/partial'), { recursive: true });
  await writeFile(join(work, 'state/status'), '');
  if (suite !== undefined) await writeFile(join(work, 'sources.list'), await suiteSources(suite));
  const config = join(work, 'apt.conf');
  await writeFile(
    config,
    [
      // apt's hooks on this machine clean the system's cache and notify its desktop, which must not happen here.
      ...['APT::Update', 'DPkg'].flatMap((of) => ['Pre', 'Post'].map((when) => `#clear ${of}::${when}-Invoke;`)),
      '#clear APT::Update::Post-Invoke-Success;',
      '#clear Acquire::IndexTargets::deb::DEP-11;',
      '#clear Acquire::IndexTargets::deb::CNF;',
      `Dir::State "${work}/state";`,
      `Dir::State::status "${work}/state/status";`,
      `Dir::Cache "${work}";`,
      `Dir::Cache::archives "${work}/debs";`,
      'APT::Sandbox::User "";',
      'APT::Install-Recommends "false";',
      'Acquire::Languages "none";',
      'Acquire::Retries "2";',
      'Acquire::http::Timeout "20";',
      'Acquire::https::Timeout "20";',
      'Debug::NoLocking "true";',
      ...(suite === undefined
        ? []
        : [
            `Dir::Etc::sourcelist "${work}/sources.list";`,
            ...['sourceparts', 'preferences', 'preferencesparts'].map((name) => `Dir::Etc::${name} "/dev/null";`),
          ]),
      ...(architecture === undefined
        ? []
        : [
            '#clear APT::Architectures;',
            `APT::Architecture "${architecture}";`,
            `APT::Architectures { "${architecture}"; };`,
          ]),
      '',
    ].join('\n'),
  );
  return config;
}

function aptEnv(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
}

/** The name `libc6` of `/x/libc6_2.36-9+deb12u14_amd64.deb`. */
function packageOf(file: string): string {
  return file.replace(/^.*\//, '').replace(/_.*$/, '');
}

async function unpack(files: readonly string[], directory: string, signal: AbortSignal): Promise<void> {
  const queue = [...files];
  const worker = async () => {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      await must('dpkg', ['-x', file, directory], { signal });
    }
  };
  await Promise.all(Array.from({ length: UNPACK_WORKERS }, worker));
}

/** Merges /lib into /usr/lib and so on, with symlinks: a package may ship /lib/x while another looks for /usr/lib/x. */
async function mergeIntoUsr(directory: string): Promise<void> {
  for (const name of MERGED_INTO_USR) {
    const top = join(directory, name);
    const usr = join(directory, 'usr', name);
    const found = await lstat(top).catch(() => undefined);
    if (found?.isSymbolicLink() || (found === undefined && !ALWAYS_THERE.includes(name))) continue;
    await mkdir(usr, { recursive: true });
    if (found !== undefined) {
      await must('cp', ['-al', `${top}/.`, usr]);
      await rm(top, { recursive: true });
    }
    await symlink(`usr/${name}`, top);
  }
}
