import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Runs work exclusively on this machine, such as setting up a cache. The lock is an abstract Unix socket, which the
 * kernel releases however its holder exits; nothing has to be cleaned up.
 * @param name of the lock; users of different caches must choose different names
 */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const address = `\0kolla-pod-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  for (;;) {
    const server = createServer((waiter) => waiter.on('error', () => {}).resume()).listen(address);
    const taken = await once(server, 'listening').then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return true;
      },
    );
    if (taken) {
      await holderGone(address);
      continue;
    }
    const waiters = new Set<{ destroy(): void }>();
    server.on('connection', (waiter) => waiters.add(waiter));
    try {
      return await work();
    } finally {
      server.close();
      for (const waiter of waiters) waiter.destroy();
    }
  }
}

/** Resolves when the holder has exited: it accepts every connection, sends nothing, and its exit closes them. */
async function holderGone(address: string): Promise<void> {
  const socket = connect(address).resume();
  await once(socket, 'close').catch(() => {}); // The connection was refused or reset: the holder is gone already.
}
