/**
 * The cost of resident probes: `make bench NAME=probe-serve`.
 *
 *   in separate namespaces: twenty checks of stand-ins (bench/census), requested every 10 s from kolla-core's server,
 *     then from kolla-pod's -> memory, CPU time of a minute, 200 requests per second
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canHoldCensus } from './census/index.ts';
import { inNamespaces } from './census/namespace.ts';
import type { FiguresBench } from './bench.ts';
import type { Figure } from './figure.ts';

const SERVING = fileURLToPath(new URL('probe-serving.ts', import.meta.url));
const BINARY = fileURLToPath(new URL('../dist/bin/kolla-probe', import.meta.url));

export const probeServe: FiguresBench = {
  kind: 'figures',
  name: 'probe-serve',
  title: 'kolla-probe serve: cost of resident checks',
  peer: 'the same server in kolla-pod (Node)',
  subject: 'kolla-core',
  capability: async () => (existsSync(BINARY) ? await canHoldCensus() : `${BINARY} does not exist: run \`make build\``),
  run: async () => JSON.parse(await inNamespaces(SERVING)) as Figure[],
};
