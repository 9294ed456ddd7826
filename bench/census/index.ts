/**
 * The census: every container for which kolla-ansible declares a health check, once well and once not.
 *
 *   src/catalog (allProbes) -> inside.ts, in namespaces where every service's own port is free and /run is ours:
 *     states.ts says, for what is declared, how a stand-in (stand-in.py, under the service's name) looks when it is well,
 *     and one way in which it is not; real memcached, Apache, RabbitMQ and MariaDB stand for themselves (real.ts)
 *     -> in each state: Kolla's declared words, through sh, answered by our names (ask.ts); our
 *     readiness words; our liveness words -> Row
 *   rows -> JSON -> the test, which judges each, and table.ts, which prints them
 *
 * `node bench/census/census.ts --print` writes the table. What this machine can't have is said by canHoldCensus(); a row
 * whose real server can't be had is `skipped`, with the reason.
 */
import { fileURLToPath } from 'node:url';
import { canHoldCensus, inNamespaces } from './namespace.ts';
import type { Row } from './row.ts';

export { canHoldCensus };
export type { Answer, Row, Seen } from './row.ts';

const INSIDE = fileURLToPath(new URL('inside.ts', import.meta.url));

/** Every row, ordered by service name; takes tens of seconds. */
export async function holdCensus(): Promise<Row[]> {
  return JSON.parse(await inNamespaces(INSIDE)) as Row[];
}
