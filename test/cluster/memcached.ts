/**
 * A real memcached: Debian's package, unpacked -> a process on loopback, on a given port, which can be frozen, killed
 * and restarted.
 */
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { tryDial } from '../../src/net/dial/dial.ts';
import type { Capability } from '../../tools/capability.ts';
import { start, tied, type Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';

/** Tested by downloading and unpacking it. */
export const canRunMemcached: Capability = async () => {
  try {
    await unpacked();
    return undefined;
  } catch (error) {
    return `no memcached: ${messageOf(error)}`;
  }
};

/** Starts a memcached; resolves when it accepts connections. @param more additional arguments */
export async function startMemcached(port: number, more: readonly string[] = []): Promise<Running> {
  const running = await launchMemcached('127.0.0.1', port, more);
  await until('memcached to accept connections', async () => {
    const refusal = await tryDial({ host: '127.0.0.1', port }, new AbortController().signal);
    return refusal === undefined || undefined;
  });
  return running;
}

/** Starts a memcached that listens at this address, without waiting for it. @param place makes its command run elsewhere */
export async function launchMemcached(
  host: string,
  port: number,
  more: readonly string[] = [],
  place = tied,
): Promise<Running> {
  const usr = join(await unpacked(), 'usr');
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const args = [
    ...asRoot,
    `--listen=${host}`,
    `--port=${port}`,
    '--udp-port=0',
    '--memory-limit=8',
    '--threads=1',
    ...more,
  ];
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: (await libraryDirectories(usr)).join(':') };
  return await start(...place(join(usr, 'bin/memcached'), args), { env });
}

function unpacked(): Promise<string> {
  return unpackedPackages('memcached', ['memcached'], { except: ['libc6'] });
}
