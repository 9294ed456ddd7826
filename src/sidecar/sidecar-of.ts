import { command, type Command, type Context, type Helper } from '../cli/command.ts';
import type { ExitCode } from '../core/errors.ts';
import { SIDECAR_OPTIONS, type SidecarOptions } from './options/options.ts';

type Run = (options: SidecarOptions, context: Context) => Promise<ExitCode>;

/** kolla-sidecar, which only kolla-core runs. */
export function sidecarOf(run: Run): Helper {
  return {
    name: 'kolla-sidecar',
    summary: 'Runs several long-running helpers in one process, with one port and one status page.',
    main: mainWith(run),
    commands: {},
  };
}

const mainWith = (run: Run): Command =>
  command({
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
    run: ({ options }, context) => run(options, context),
  });
