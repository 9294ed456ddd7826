/**
 * A real Redis: Debian's package, unpacked -> a process on loopback, on a free port, with only the options of the test.
 * Its directory is private; by default it saves nothing there.
 */
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { tryDial } from '../../src/net/dial/dial.ts';
import type { Capability } from '../../tools/capability.ts';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, start, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';

export interface Redis extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
  /** Runs `redis-cli` with these arguments and returns its output. */
  cli(...words: readonly string[]): Promise<string>;
}

export interface RedisOptions {
  /** Options for the command line: `--requirepass`, `secret`. */
  readonly args?: readonly string[];
  /** The directory of its data; by default a private one. */
  readonly directory?: string;
}

const HOST = '127.0.0.1';

/** Tested by downloading and unpacking it. */
export const canRunRedis: Capability = async () => {
  try {
    await unpacked();
    return undefined;
  } catch (error) {
    return `no Redis: ${messageOf(error)}`;
  }
};

/** Starts a Redis, and resolves when it accepts connections, which is before it has loaded its data. */
export async function startRedis({ args = [], directory }: RedisOptions = {}): Promise<Redis> {
  const usr = join(await unpacked(), 'usr');
  const port = await freePort();
  await using stack = new AsyncDisposableStack();
  const dir = directory ?? stack.use(await privateDirectory('redis', inMemory())).path;
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: (await libraryDirectories(usr)).join(':') };
  const own = ['--bind', HOST, '--port', String(port), '--dir', dir, '--save', '', '--daemonize', 'no'];
  const running = stack.use(await start(...tied(join(usr, 'bin/redis-server'), [...own, ...args]), { env, cwd: dir }));
  await until('Redis to accept connections', async () => {
    const refusal = await tryDial({ host: HOST, port }, new AbortController().signal);
    return refusal === undefined || undefined;
  });
  const moved = stack.move();
  return {
    host: HOST,
    port,
    pid: running.pid,
    directory: dir,
    cli: (...words) => must(join(usr, 'bin/redis-cli'), ['-h', HOST, '-p', String(port), ...words], { env }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

function unpacked(): Promise<string> {
  return unpackedPackages('redis', ['redis-server'], { except: ['libc6'] });
}
