import { once } from 'node:events';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { cached } from '../../../tools/cache.ts';
import { canGiveFilesAway, type Capability } from '../../../tools/capability.ts';
import { must, run } from '../../../tools/process.ts';
import { unpackedPackages } from '../../../tools/debian.ts';

/** The last versions of Kolla's releases, by the number of the release. */
export const KOLLA_VERSIONS = {
  18: '18.8.0',
  19: '19.8.0',
  20: '20.6.0',
  21: '21.3.0',
  22: '22.2.0',
  23: '23.0.0',
} as const;
/** The first version whose set_configs.py reads config.yaml and has a `files` section. */
const KOLLA_VERSION = KOLLA_VERSIONS[23];
const DRIVER = fileURLToPath(new URL('reference.py', import.meta.url));

export interface Start {
  readonly root: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Directories are read in the order of names, as ours does, instead of the file system's order. */
  readonly sorted?: true;
}

export interface Ended {
  readonly code: number;
  readonly stderr: string;
}

/** A tool, Kolla's or one that is compared with it. Each start has a temporary root. */
export interface Reference extends AsyncDisposable {
  run(start: Start): Promise<Ended>;
}

interface Python {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The interpreter itself: a version manager's `python3` is a shell script that takes ten times as long to start. */
const PYTHON_WITH_PACKAGES =
  'import sys, yaml; from importlib.util import find_spec; print(find_spec("pip") and sys.executable or "")';
let found: Promise<Python> | undefined;

/** Python with pip and PyYAML, from this machine or from Debian. */
function python(): Promise<Python> {
  found ??= findPython();
  return found;
}

async function findPython(): Promise<Python> {
  for (const name of ['python3', '/usr/bin/python3']) {
    const tried = await run(name, ['-c', PYTHON_WITH_PACKAGES]).catch(() => undefined);
    const command = tried?.stdout.trim() ?? '';
    if (tried?.code === 0 && command !== '') return { command, env: process.env };
  }
  const directory = await unpackedPackages('python', ['python3', 'python3-yaml', 'python3-pip'], { except: ['libc6'] });
  const env = {
    ...process.env,
    PYTHONHOME: join(directory, 'usr'),
    PYTHONPATH: join(directory, 'usr/lib/python3/dist-packages'),
    LD_LIBRARY_PATH: ['x86_64', 'aarch64'].map((cpu) => join(directory, `usr/lib/${cpu}-linux-gnu`)).join(':'),
  };
  return { command: join(directory, 'usr/bin/python3'), env };
}

async function setConfigsPy(version: string): Promise<string> {
  const { command, env } = await python();
  const place = await cached('kolla-set-configs', [version], async (directory) => {
    const wheel = ['--no-deps', '--only-binary', ':all:', '--quiet', '--disable-pip-version-check'];
    await must(command, ['-m', 'pip', 'download', ...wheel, '--dest', directory, `kolla==${version}`], { env });
    await must(command, ['-m', 'zipfile', '-e', join(directory, `kolla-${version}-py3-none-any.whl`), directory], {
      env,
    });
  });
  const [script] = await Array.fromAsync(glob('**/docker/base/set_configs.py', { cwd: place }));
  if (script === undefined) throw new Error(`kolla ${version} has no set_configs.py`);
  return join(place, script);
}

/** Whether the reference is available and runs in a temporary root; verified by running it once. */
export const canRunReference: Capability = async () => {
  const unprivileged = await canGiveFilesAway();
  if (unprivileged !== undefined) return unprivileged;
  try {
    await using reference = await startReference();
    const { code } = await reference.run({ root: '/', argv: ['--help'], env: {} });
    return code === 0 ? undefined : `set_configs.py --help ended with ${code}`;
  } catch (error) {
    return `Kolla's set_configs.py can't be fetched or run here: ${String(error).slice(0, 200)}`;
  }
};

/**
 * @param version of Kolla; by default the latest
 * @param within arguments of a command that runs another: `setpriv`, `unshare`
 */
export async function startReference(
  version: string = KOLLA_VERSION,
  within: readonly string[] = [],
): Promise<Reference> {
  const script = await setConfigsPy(version);
  const { command, env } = await python();
  const [program, ...words] = [...within, command, DRIVER, script];
  return driven(spawn(program, words, { env, stdio: ['pipe', 'pipe', 'inherit'] }));
}

/** @param child for each line on its stdin, a start as JSON, it prints a line with the result */
export function driven(child: ChildProcessByStdio<Writable, Readable, null>): Reference {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(start) {
      child.stdin.write(`${JSON.stringify(start)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${child.spawnargs.slice(0, 2).join(' ')} has exited`);
      return JSON.parse(value) as Ended;
    },
    async [Symbol.asyncDispose]() {
      const closed = child.exitCode === null ? once(child, 'close') : undefined;
      child.stdin.end();
      await closed;
    },
  };
}
