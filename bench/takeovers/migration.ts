/**
 * A migration that is as hard to stop as possible: it writes through every node, reopens killed sessions, keeps
 * transactions open, ignores SIGTERM, and exits only once its gate exists. Run by the contenders, not imported.
 *
 *   OS_DATABASE__CONNECTION (as the service's tool gets it) -> `start`, through the node in that URL -> ticks through each
 *     of KP_PORTS -> KP_GATE exists: `end`
 *
 * Each write takes the next number of a counter within its transaction: the numbers are the order of commits,
 * independent of the nodes' clocks.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type Connection } from 'mysql2/promise';
import { parseMysqlUrl } from '../../src/mysql/index.ts';

const PACE_MS = 120;
/** From the write to its commit: faults should hit open transactions. */
const OPEN_MS = 10;
const CONNECT_MS = 2000;
const CONFLICT = 1213;

const { KP_WHO: who = '', KP_PORTS: ports = '', KP_GATE: gate = '' } = process.env;
const target = parseMysqlUrl(process.env['OS_DATABASE__CONNECTION'] ?? '');
const said = new Set<string>();

process.on('SIGTERM', () => say('hears SIGTERM and goes on'));
const own = await connect(target.port);
await write(own, 'start');
say(`started through ${target.port}`);
const all = ports.split(',').map(Number);
await Promise.all(all.map((port) => writeThrough(port)));
await Promise.any(all.map((port) => finish(port)));
// Sessions to a frozen node would keep the process alive.
// eslint-disable-next-line unicorn/no-process-exit
process.exit(0);

async function writeThrough(port: number): Promise<void> {
  let session: Connection | undefined;
  while (!existsSync(gate)) {
    try {
      session ??= await connect(port);
      await write(session, 'tick');
      say(`writes through ${port}`);
    } catch (error) {
      say(`cannot write through ${port}: ${(error as Error).message}`);
      session?.destroy();
      session = undefined;
    }
    await sleep(PACE_MS * (0.5 + Math.random()));
  }
  session?.destroy();
}

/** Without a limit, which a stalled machine could exceed for all nodes at once: the first node that takes the end counts. */
async function finish(port: number): Promise<void> {
  await write(await connect(port, 0), 'end');
}

async function connect(port: number, connectTimeout = CONNECT_MS): Promise<Connection> {
  const { host, user, password, database } = target;
  const session = await createConnection({ host, port, user, password, database, connectTimeout });
  // An error between two statements is reported by the next one.
  session.on('error', () => {});
  await session.query('SET SESSION wsrep_sync_wait = 7');
  return session;
}

async function write(session: Connection, what: string): Promise<void> {
  // The current token according to the row.
  const token = what === 'start' ? '(SELECT token FROM kolla_pod_fence)' : 'NULL';
  for (;;) {
    try {
      await session.query('BEGIN');
      await session.query('UPDATE clock SET n = n + 1');
      await session.query(`INSERT INTO journal SELECT n, ?, ?, @@wsrep_node_name, ${token} FROM clock`, [who, what]);
      await sleep(OPEN_MS);
      await session.query('COMMIT');
      return;
    } catch (error) {
      if ((error as { errno?: number }).errno !== CONFLICT) throw error;
    }
  }
}

/** Each text once: there may be thousands of ticks. */
function say(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console.log(text);
}
