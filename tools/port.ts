import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import { eachInetSocket } from '../src/process/procfs/index.ts';

/**
 * The first port. All ports are below Linux's ephemeral ports (32768 and up), which the kernel assigns to any
 * connection and to servers on port 0.
 */
const FIRST = 20_000;
const SLICE = 100;
const SLICES = 100;

/** This process's slice, whose ports are allocated in order. */
let slice: Promise<{ readonly first: number; next: number }> | undefined;

/**
 * A loopback port for a server that must know its port before it starts. No other caller on this machine gets it while
 * this process lives, no connection uses it by chance, and none of a previous owner is left (the kernel keeps a closed
 * one for a minute), so a test may look at what the port has.
 */
export async function freePort(): Promise<number> {
  slice ??= ownSlice();
  const own = await slice;
  for (let tries = 0; tries < SLICE; tries++) {
    const port = own.first + (own.next++ % SLICE);
    if ((await canListen({ port, host: '127.0.0.1' })) && !(await hasSockets(port))) return port;
  }
  throw new Error(`no free port from ${own.first} to ${own.first + SLICE - 1}`);
}

/** The given number of distinct ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Locks a free slice by an abstract Unix socket, which the kernel closes however this process exits. */
async function ownSlice(): Promise<{ readonly first: number; next: number }> {
  for (let nth = 0; nth < SLICES; nth++) {
    const index = (process.pid + nth) % SLICES;
    const lock = createServer().listen({ path: `\0kolla-pod-ports-${index}` });
    if (await isListening(lock)) {
      lock.unref();
      return { first: FIRST + index * SLICE, next: 0 };
    }
  }
  throw new Error(`${SLICES} processes hold ports already`);
}

async function canListen(options: ListenOptions): Promise<boolean> {
  const server = createServer().listen(options);
  if (!(await isListening(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Whether a TCP socket of this network namespace has this port at either end, in any state. */
async function hasSockets(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(30_000);
  return await eachInetSocket(['tcp'], () => true, { proc: '/proc', signal, ports: [port] });
}

async function isListening(server: ReturnType<typeof createServer>): Promise<boolean> {
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
