/**
 * The cost of a probe: `make bench NAME=probe`.
 *
 *   in separate namespaces: Kolla's scripts, ours in kolla-core and in kolla-pod, alternately, on the same stand-ins
 *     (bench/census) -> CPU time, wall time and memory of each with its descendants (measured.c)
 *   a real RabbitMQ -> its own tool, Kolla's script, and our check as a process and resident
 *   a real Kubernetes node with Pods probed every second -> the node's CPU time per probe, by exec of Kolla's script, by
 *     exec of ours, and by httpGet
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canHoldCensus } from './census/index.ts';
import { inNamespaces } from './census/namespace.ts';
import { canRunRabbitmq } from '../test/cluster/rabbitmq.ts';
import { canRunNode } from '../test/cluster/kubernetes/index.ts';
import { canHaveKolla } from '../test/contract/kolla-package.ts';
import { run } from '../tools/process.ts';
import type { FiguresBench } from './bench.ts';
import type { Figure } from './figure.ts';
import { canMeasure } from './measured.ts';
import { nodeFigures } from './probe-node.ts';

const SCRIPTS = fileURLToPath(new URL('probe-scripts.ts', import.meta.url));
const BINARY = fileURLToPath(new URL('../dist/bin/healthcheck_port', import.meta.url));
/** Programs started by Kolla's scripts. */
const TOOLS = ['bash', 'pgrep', 'ss', 'grep', 'curl', 'lsof', 'stat', 'date'];

export const probe: FiguresBench = {
  kind: 'figures',
  name: 'probe',
  title: 'kolla-probe: cost per probe',
  peer: "Kolla's healthcheck scripts",
  capability: async () =>
    existsSync(BINARY)
      ? ((await lacksTool()) ??
        (await canMeasure()) ??
        (await canHaveKolla()) ??
        (await canHoldCensus()) ??
        (await canRunRabbitmq()))
      : `${BINARY} does not exist: run \`make build\``,
  async run(say) {
    say("Kolla's scripts and ours");
    const figures = JSON.parse(await inNamespaces(SCRIPTS)) as Figure[];
    const noNode = await canRunNode();
    if (noNode === undefined) return [...figures, ...(await nodeFigures(say))];
    say(`not on a node: ${noNode}`);
    return figures;
  },
};

async function lacksTool(): Promise<string | undefined> {
  for (const tool of TOOLS)
    if ((await run('sh', ['-c', `command -v ${tool}`])).code !== 0) return `Kolla's scripts need ${tool}`;
  return undefined;
}
