/**
 * The census: runs the checks of every container with a declared health check, once healthy and once unhealthy.
 *
 *   src/catalog (allProbes) -> inside.ts, in namespaces with a private /run, where every service's port is free:
 *     states.ts sets up a stand-in (stand-in.py, under the service's name) in a healthy and in an unhealthy state;
 *     memcached, Apache, RabbitMQ and MariaDB are the real servers (subjects.ts)
 *   -> in each state the declared check through sh, with our commands (ask.ts), the readiness and the liveness check -> Row
 *   rows -> JSON -> test/integration/kolla-probe-census.test.ts, which judges each
 *
 * canHoldCensus() gives the reason if the machine cannot run it; a row whose real server is unavailable is `skipped`, with the reason.
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
