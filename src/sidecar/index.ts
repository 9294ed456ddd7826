/**
 * kolla-sidecar: runs the helpers that a service needs during its life in one process.
 *
 *   options -> components: each with its helper's options from its section of kolla-pod.yaml, validated (64, 65 before
 *   anything runs) -> the port is served -> a component's requirements on its Pod are checked (65) -> supervisor: each runs
 *   separately, with its own signal and log field, and is restarted with backoff when it fails
 *   components -> parts { state, reason } in addition to those of the checks -> /startupz /livez /readyz /metrics
 *     (probe/serve)
 *   components -> sources -> document -> hub: changes -> page, /status.json, /events (status/, page/)
 *   kolla-db-sync --stay, kolla-log-ship --listen (helpers/) -> their only component, served in the same way (serve) but
 *     not supervised: its exit code is the helper's (alone)
 *   SIGTERM -> /readyz is 503 -> config-watch, then waits and db-sync, then log-ship, then the checks end -> 143
 *
 * An error of a component, even in a callback, is charged to it alone. Memory, a busy loop and a crash of Node itself
 * cannot be isolated in one process; they end or stall all components, and the kubelet restarts the container. Every
 * component may be killed at any moment and resumes. kolla-sidecar composes the helpers, which do not depend on it.
 */
import { command, type Context, type Helper, type Input } from '../cli/command.ts';
import type { ExitCode } from '../core/errors.ts';
import { SIDECAR_OPTIONS } from './options/options.ts';

const main = command({
  summary: 'Runs several long-running helpers in one process, with one port and one status page.',
  description:
    'Each component behaves like the helper of that name and reads its section in kolla-pod.yaml and its ' +
    'environment. A failed component is restarted with backoff without affecting the others. /startupz ' +
    'fails until waits and db-sync are done. The status page is at / on the same port, for kubectl ' +
    'port-forward. Exits on SIGTERM (143), log shipping last.',
  operands: [],
  notes: [
    {
      heading: 'Components, each with its section in kolla-pod.yaml',
      rows: [
        ['probe', 'checks: named checks and probe endpoints'],
        ['config-watch', 'init.watch: new versions of the ConfigMap'],
        ['waits', 'init: waits that delay /startupz'],
        ['db-sync', 'db-sync: schema migration'],
        ['log-ship', 'log-ship: log shipping'],
      ],
    },
  ],
  options: SIDECAR_OPTIONS,
  examples: [
    {
      line: 'kolla-sidecar',
      does: 'the components in /etc/kolla-pod/kolla-pod.yaml: `sidecar: { component: [probe, config-watch, log-ship] }`',
    },
    {
      line: 'kolla-sidecar --component probe --component log-ship --config kolla-pod.yaml --listen 127.0.0.1:9808',
      does: 'checks and log shipping, listening on one address only',
    },
    {
      line: 'kolla-sidecar --component db-sync --service keystone',
      does: 'as a native sidecar that migrates, then keeps running',
    },
  ],
  run,
});

async function run({ options }: Input<typeof SIDECAR_OPTIONS>, context: Context): Promise<ExitCode> {
  // Loaded lazily: help and tables do not need it.
  const { runSidecar } = await import('./run.ts');
  return await runSidecar(options, context);
}

export const sidecar: Helper = {
  name: 'kolla-sidecar',
  summary: 'Runs several long-running helpers in one process, with one port and one status page.',
  main,
  commands: {},
};
