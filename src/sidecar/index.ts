/**
 * kolla-sidecar: what a service needs beside it for as long as it runs, in one process.
 *
 *   options -> roles: each helper's own options from its own section of kolla-pod.yaml, looked over (64, 65 before anything
 *   runs) -> the one port answers -> what a role needs of its Pod is there (65) -> supervisor: each role runs for itself,
 *   under its own signal, with its own log field, and is restarted with backoff when it fails
 *   roles -> parts { state, reason } beside those of the checks -> /startupz /livez /readyz /metrics (probe/serve)
 *   roles -> sources -> document -> hub: what has changed -> page, /status.json, /events (status/, page/)
 *   kolla-db-sync --stay, kolla-log-ship --listen (helpers/) -> their one role, answered for in the same way (serve) but not
 *     supervised: its end, with its exit code, is the helper's (alone)
 *   SIGTERM -> /readyz is 503 -> config-watch, then waits and db-sync, then log-ship, then the checks end -> 143
 *
 * What one role throws, also from a callback, is charged to it alone. What can't be held apart in one process: memory, a busy
 * loop, a crash of Node itself; these end or stall all, and the kubelet begins us again. Every role may be killed at any
 * moment and resumes where it was. It composes capabilities, and none of them knows of it.
 */
import { command, type Context, type Helper, type Input } from '../cli/command.ts';
import type { ExitCode } from '../core/errors.ts';
import { SIDECAR_OPTIONS } from './options.ts';

const main = command({
  summary: 'Runs several resident helpers in one process, with one port and one status page.',
  description:
    "Each component behaves as its own helper, with that helper's section of kolla-pod.yaml and " +
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
        ['waits', 'init: waits, held by /startupz'],
        ['db-sync', 'db-sync: schema migration'],
        ['log-ship', 'log-ship: log shipping'],
      ],
    },
  ],
  options: SIDECAR_OPTIONS,
  examples: [
    {
      line: 'kolla-sidecar',
      does: 'the roles of /etc/kolla-pod/kolla-pod.yaml: `sidecar: { role: [probe, config-watch, log-ship] }`',
    },
    {
      line: 'kolla-sidecar --role probe --role log-ship --config kolla-pod.yaml --listen 127.0.0.1:9808',
      does: 'checks and log shipping, on one address',
    },
    {
      line: 'kolla-sidecar --role db-sync --service keystone',
      does: 'a native sidecar that migrates, then stays',
    },
  ],
  run,
});

async function run({ options }: Input<typeof SIDECAR_OPTIONS>, context: Context): Promise<ExitCode> {
  // Lazy: help and tables need none of it.
  const { runSidecar } = await import('./run.ts');
  return await runSidecar(options, context);
}

export const sidecar: Helper = {
  name: 'kolla-sidecar',
  summary: 'Runs several resident helpers in one process, with one port and one status page.',
  main,
  commands: {},
};
