import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Does something that only one process of this machine should do at a time, as setting up a cache. The lock is an
 * abstract Unix socket, so the kernel frees it however its holder ends and nothing is left to be cleaned up.
 * @param name of what is locked; two users of different caches must choose different names
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

/** The holder accepts every connection and says nothing; its end closes them all. */
async function holderGone(address: string): Promise<void> {
  const socket = connect(address).resume();
  await once(socket, 'close').catch(() => {}); // refused or reset: it is gone already
}
