import { command, type Context } from '../../cli/command.ts';
import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import { TLS_OPTIONS, FILE_OPTIONS } from './options.ts';
import { configOptions } from './files.ts';
import type { WatchRunOptions } from './run-watch.ts';

const SHORTEST_POLL_MS = 100;

export const WATCH_OPTIONS = [
  {
    flag: 'on-change',
    type: 'string',
    env: 'KOLLA_INIT_ON_CHANGE',
    help: 'action after a change: signal, exec, http or exit',
    example: 'signal:HUP:keystone',
    repeat: true,
  },
  {
    flag: 'settle',
    type: 'duration',
    env: 'KOLLA_INIT_SETTLE',
    default: '1s',
    help: 'debounce interval before a change is installed',
    example: '200ms',
  },
  {
    flag: 'poll',
    type: 'duration',
    env: 'KOLLA_INIT_POLL',
    default: '60s',
    help: 'polling interval, for changes that inotify misses',
    example: '10s',
  },
  {
    flag: 'action-timeout',
    type: 'duration',
    env: 'KOLLA_INIT_ACTION_TIMEOUT',
    default: '30s',
    help: 'maximum time for one attempt of an action',
    details: 'A command that takes longer is killed.',
    example: '5s',
  },
  {
    flag: 'repair',
    type: 'boolean',
    env: 'KOLLA_INIT_REPAIR',
    help: 'install changed files again at start',
    details: 'By default a restarted watch keeps files that were changed since it installed their version.',
    example: 'true',
  },
  ...FILE_OPTIONS,
  ...TLS_OPTIONS,
] as const satisfies readonly Option[];

export const watchCommand = command({
  summary: 'Watches a ConfigMap: installs each new version, then notifies the service.',
  description:
    'Run it as a sidecar. Each version is validated and installed as kolla-init does, every file ' +
    'atomically; an invalid version is rejected and the previous one kept. Actions run in the given order ' +
    'when a file has changed; a failed action is retried until it succeeds or a newer version arrives. ' +
    'Exits with 143 on SIGTERM, or with 0 after the `exit` action.',
  operands: [],
  notes: [
    {
      heading: 'Actions',
      rows: [
        ['signal:NAME[:PROCESS]', 'signal to the process; HUP, TERM, USR1 and others'],
        ['exec:COMMAND', 'command, without a shell'],
        ['http:METHOD URL', 'request; a status of 400 or more is a failure'],
        ['exit', 'exit with 0, to be restarted'],
      ],
    },
  ],
  options: WATCH_OPTIONS,
  examples: [
    {
      line: 'kolla-init watch --on-change signal:HUP:keystone',
      does: 'as a native sidecar with shareProcessNamespace: reload without a restart',
    },
    {
      line: "kolla-init watch --on-change 'http:POST http://127.0.0.1:8080/reload'",
      does: 'for a service that reloads on an HTTP request',
    },
    {
      line: 'kolla-init watch --config-dir ./config --root ./tree --on-change exit',
      does: 'exit on the first change, so that a supervisor restarts it',
    },
  ],
  async run({ options }, context) {
    const settings = await watchSettings(options, context);
    // Loaded lazily: only a running watch needs these modules.
    const { runWatch } = await import('./run-watch.ts');
    return await runWatch(settings, context);
  },
});

/**
 * Validates the options.
 * @throws UsageError for invalid times; ConfigError for invalid overlays
 */
export async function watchSettings(
  options: Values<typeof WATCH_OPTIONS>,
  context: Pick<Context, 'podFile' | 'inherited'>,
): Promise<WatchRunOptions> {
  if (options.poll < SHORTEST_POLL_MS) throw new UsageError('--poll: must be at least 100ms');
  if (options.actionTimeout === 0) throw new UsageError('--action-timeout: must be more than 0');
  return {
    ...(await configOptions(options, context)),
    settleMs: options.settle,
    pollMs: options.poll,
    onChange: options.onChange,
    actionTimeoutMs: options.actionTimeout,
    repairs: options.repair,
    tls: options.tls,
    caFile: options.caFile,
  };
}
