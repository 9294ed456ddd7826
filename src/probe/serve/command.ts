import { command, type Command } from '../../cli/command.ts';
import type { Option } from '../../cli/option.ts';
import type { CheckSet } from '../ask/check.ts';

export const SERVE_OPTIONS = [
  {
    flag: 'listen',
    type: 'string',
    env: 'KOLLA_PROBE_LISTEN',
    default: ':9808',
    help: '[ADDRESS:]PORT for probes and metrics',
    example: '9808',
  },
  {
    flag: 'status-public',
    type: 'boolean',
    env: 'KOLLA_PROBE_STATUS_PUBLIC',
    help: 'show reasons to every client, not only within the Pod',
    details:
      'Applies to ?verbose, /checks/NAME and /status.json, which are otherwise limited to the Pod and kubectl ' +
      'port-forward.',
    example: 'true',
  },
  {
    flag: 'host-network',
    type: 'boolean',
    env: 'KOLLA_PROBE_HOST_NETWORK',
    help: 'hide reasons from all clients, for Pods with hostNetwork',
    details: 'With hostNetwork, every user of the node can connect over loopback. --status-public takes precedence.',
    example: 'true',
  },
  {
    flag: 'allow-no-checks',
    type: 'boolean',
    env: 'KOLLA_PROBE_ALLOW_NO_CHECKS',
    help: 'start even without checks',
    details: 'Every probe then returns 200. Without this option the exit code is 65.',
    example: 'true',
  },
] as const satisfies readonly Option[];

/** `kolla-probe serve` with these checks. */
export const serveCommandOf = (checks: CheckSet): Command =>
  command({
    summary: 'Runs the checks of kolla-pod.yaml continuously and serves httpGet probes.',
    description:
      'Runs each check of the `checks` section once per period; probes get the last known result and ' +
      'never wait. /startupz, /livez and /readyz return a status word, /metrics is for Prometheus; ' +
      'reasons are visible only within the Pod and through kubectl port-forward. On SIGTERM /readyz returns ' +
      '503, then it exits.',
    operands: [],
    options: SERVE_OPTIONS,
    examples: [
      { line: 'kolla-probe serve', does: 'the checks of /etc/kolla-pod/kolla-pod.yaml, on port 9808' },
      {
        line: 'kolla-probe serve --config kolla-pod.yaml --listen 127.0.0.1:9808',
        does: 'only on one address',
      },
    ],
    async run({ options }, context) {
      // Loaded lazily: a single check needs no server.
      const { runServe } = await import('./run.ts');
      return await runServe(options, context, checks);
    },
  });
