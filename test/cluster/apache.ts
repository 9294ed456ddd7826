/**
 * A real Apache: Debian's package, unpacked -> one configuration that serves a page -> a process on loopback, on given
 * ports, which can be frozen, killed and restarted.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { tryDial } from '../../src/net/dial/dial.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { start, tailOf, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';

const MODULES = ['mpm_event', 'authz_core', 'dir', 'mime'];

/** Tested by downloading it and serving a page. */
export const canRunApache: Capability = async () => {
  try {
    await unpacked();
    return undefined;
  } catch (error) {
    return `no Apache: ${messageOf(error)}`;
  }
};

/** Starts an Apache that serves a page at `/` on each port; resolves when it accepts connections. */
export async function startApache(ports: readonly number[]): Promise<Running> {
  const usr = join(await unpacked(), 'usr');
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('apache')).path;
  // If root starts Apache, its workers run as another user.
  await chmod(directory, 0o755);
  await mkdir(join(directory, 'pages'));
  await writeFile(join(directory, 'pages/index.html'), 'served\n');
  await writeFile(join(directory, 'apache.conf'), configuration(usr, directory, ports));
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: (await libraryDirectories(usr)).join(':') };
  const args = ['-D', 'FOREGROUND', '-f', join(directory, 'apache.conf')];
  const log = join(directory, 'error.log');
  const running = stack.use(
    await start(...tied(join(usr, 'sbin/apache2'), args), { env, logFile: log, throwAway: true }),
  );
  let ended: number | undefined;
  void running.ended.then((code) => (ended = code));
  await until('Apache to accept connections', async () => {
    if (ended !== undefined) throw new Error(`Apache exited with ${ended}: ${tailOf(log)}`);
    const all = ports.map((port) => tryDial({ host: '127.0.0.1', port }, new AbortController().signal));
    return (await Promise.all(all)).every((refusal) => refusal === undefined) || undefined;
  });
  const moved = stack.move();
  return { ...running, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

function configuration(usr: string, directory: string, ports: readonly number[]): string {
  const isRoot = process.getuid?.() === 0;
  return [
    ...MODULES.map((name) => `LoadModule ${name}_module ${usr}/lib/apache2/modules/mod_${name}.so`),
    ...(isRoot ? ['User #65534', 'Group #65534'] : []),
    ...ports.map((port) => `Listen 127.0.0.1:${port}`),
    'ServerName localhost',
    `ServerRoot ${directory}`,
    `DefaultRuntimeDir ${directory}`,
    `PidFile ${directory}/pid`,
    `ErrorLog ${directory}/error.log`,
    'TypesConfig /dev/null',
    `DocumentRoot ${directory}/pages`,
    'DirectoryIndex index.html',
    'StartServers 1',
    'ThreadsPerChild 2',
    'MaxRequestWorkers 4',
    'MinSpareThreads 1',
    'MaxSpareThreads 4',
    '',
  ].join('\n');
}

function unpacked(): Promise<string> {
  return unpackedPackages('apache', ['apache2-bin'], { except: ['libc6'] });
}
