/**
 * A real Apache of our own: Debian's package, unpacked -> one configuration with what serves a page -> a process on
 * loopback, on ports that the test gives, which can be frozen, killed and started again.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { dial } from '../../src/net/dial.ts';
import type { Capability } from '../../tools/capability.ts';
import { privateFolder } from '../../tools/folder.ts';
import { start, tailOf, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { libraryFolders } from './mariadb-programs.ts';

const MODULES = ['mpm_event', 'authz_core', 'dir', 'mime'];

/** Proven by fetching it and serving a page. */
export const canRunApache: Capability = async () => {
  try {
    await unpacked();
    return undefined;
  } catch (error) {
    return `no Apache: ${messageOf(error)}`;
  }
};

/** Starts one that answers `/` on each port with a page; resolves when it accepts connections. */
export async function startApache(ports: readonly number[]): Promise<Running> {
  const usr = join(await unpacked(), 'usr');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await privateFolder('apache')).path;
  // Its workers are another user's where it is started by root.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'pages'));
  await writeFile(join(folder, 'pages/index.html'), 'served\n');
  await writeFile(join(folder, 'apache.conf'), configuration(usr, folder, ports));
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: (await libraryFolders(usr)).join(':') };
  const args = ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')];
  const log = join(folder, 'error.log');
  const running = stack.use(
    await start(...tied(join(usr, 'sbin/apache2'), args), { env, logFile: log, throwAway: true }),
  );
  let ended: number | undefined;
  void running.ended.then((code) => (ended = code));
  await until('Apache to accept connections', async () => {
    if (ended !== undefined) throw new Error(`Apache ended with ${ended}: ${tailOf(log)}`);
    const all = ports.map((port) => dial({ host: '127.0.0.1', port }, new AbortController().signal));
    return (await Promise.all(all)).every((refusal) => refusal === undefined) || undefined;
  });
  const moved = stack.move();
  return { ...running, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

function configuration(usr: string, folder: string, ports: readonly number[]): string {
  const isRoot = process.getuid?.() === 0;
  return [
    ...MODULES.map((name) => `LoadModule ${name}_module ${usr}/lib/apache2/modules/mod_${name}.so`),
    ...(isRoot ? ['User #65534', 'Group #65534'] : []),
    ...ports.map((port) => `Listen 127.0.0.1:${port}`),
    'ServerName localhost',
    `ServerRoot ${folder}`,
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/pid`,
    `ErrorLog ${folder}/error.log`,
    'TypesConfig /dev/null',
    `DocumentRoot ${folder}/pages`,
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
