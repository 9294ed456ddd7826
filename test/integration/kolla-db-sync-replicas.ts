import { createConnection } from 'mysql2/promise';
import type { GaleraNode } from '../cluster/galera.ts';
import { until } from '../support/until.ts';

/** Old replicas of the service, which use its account during the migration. */
export interface Replicas extends AsyncDisposable {
  /** Waits until each replica has written again. */
  writing(): Promise<void>;
  /** Errors of broken connections. Replicas do not reconnect. */
  readonly broken: readonly string[];
}

const EVERY_MS = 50;
const DEADLOCK = 1213;

/** One replica per node, writing every 50 ms into its own table over a persistent connection. */
export async function startReplicas(
  nodes: readonly GaleraNode[],
  account: { readonly user: string; readonly password: string; readonly database: string },
): Promise<Replicas> {
  const written = nodes.map(() => 0);
  const broken: string[] = [];
  const over = new AbortController();
  const loops = nodes.map(async ({ host, port, name }, i) => {
    const connection = await createConnection({ host, port, ...account });
    connection.on('error', (error: Error) => broken.push(`${name}: ${error.message}`));
    await connection.query(`CREATE TABLE IF NOT EXISTS live_${name} (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB`);
    while (!over.signal.aborted && broken.length === 0) {
      try {
        await connection.query(`INSERT INTO live_${name} VALUES ()`);
        written[i] = (written[i] ?? 0) + 1;
      } catch (error) {
        if ((error as { errno?: number }).errno !== DEADLOCK) broken.push(`${name}: ${String(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    connection.destroy();
  });
  return {
    broken,
    async writing() {
      const before = [...written];
      await until('each replica to write', async () =>
        broken.length > 0 || written.every((n, i) => n > (before[i] ?? 0)) ? true : undefined,
      );
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all(loops);
    },
  };
}
