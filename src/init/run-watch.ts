/**
 * kolla-init watch: a configuration that changes, and whom to tell.
 *
 *   --on-change read (a typo ends us before anything is watched) -> config/watch: look, apply -> what changed ->
 *   actions in their order, each until it has succeeded or a newer version is there
 *
 * Ends with 0 by the action exit, else by the signal alone: a refused version, a full disk and an action that fails are
 * logged, counted and tried again.
 */
import type { Context } from '../cli/command.ts';
import { formatDuration } from '../cli/duration.ts';
import { ExitCode, UsageError } from '../cli/errors.ts';
import { watchConfig, STARTING, type WatchOptions, type WatchStatus } from '../config/watch/index.ts';
import { runCommand, whyNoProgram } from './on-change-exec.ts';
import { outputRedactor } from './on-change-output.ts';
import { ActionRunner, NO_ACTIONS, type ActionStatus, type RunnerParts } from './on-change-runner.ts';
import { sendSignal } from './on-change-signal.ts';
import { parseActions, type Action } from './on-change.ts';
import { leaveRunCommand } from './run-command.ts';

export interface WatchRunOptions extends WatchOptions {
  /** As `--on-change` gives them. */
  readonly onChange: readonly string[];
  /** For one try of an action. */
  readonly actionTimeoutMs: number;
  /** PEM file; the authorities that an https:// action may have. */
  readonly caFile: string | undefined;
}

export interface WatchRunStatus {
  readonly config: WatchStatus;
  readonly actions: ActionStatus;
}

/**
 * Follows the configuration until `exit` is reached (0) or the signal is aborted, whose reason it then rejects with.
 * @param onStatus told at each step, for a page that shows it
 * @throws UsageError for an action that can't be done here
 */
export async function runWatch(
  options: WatchRunOptions,
  { signal, log, inherited }: Pick<Context, 'signal' | 'log' | 'inherited'>,
  onStatus: (status: WatchRunStatus) => void = () => {},
): Promise<ExitCode> {
  const actions = parseActions(options.onChange);
  for (const action of actions) checkProgram(action, inherited);
  const exits = actions.some(({ kind }) => kind === 'exit');
  const [exited, failed] = [new AbortController(), new AbortController()];
  const either = AbortSignal.any([signal, exited.signal, failed.signal]);
  let status: WatchRunStatus = { config: STARTING, actions: NO_ACTIONS };
  const say = (change: Partial<WatchRunStatus>) => onStatus((status = { ...status, ...change }));
  const labels = actions.map(({ label }) => label).join(', then ') || 'nothing more';
  log.info(
    `watching ${options.configFile ?? options.configDir}, content compared each ${formatDuration(options.pollMs)}; on change: ${labels}`,
  );
  await using runner = new ActionRunner(actions, {
    signal: either,
    log,
    timeoutMs: options.actionTimeoutMs,
    perform: performer(options, { log, inherited }),
    onExit: () => exited.abort(),
    onBug: (error) => failed.abort(error),
    onStatus: (next) => say({ actions: next }),
  });
  try {
    return await watchConfig(options, {
      signal: either,
      log,
      leaveCommand: commandKeeper(options.root, log),
      onApplied({ version, isOtherCommand }) {
        if (isOtherCommand && !exits)
          log.warn(
            'config.json has another command now: the service runs the old one until its container is started anew (restart ' +
              'the pod, or let the action exit do it)',
            { version },
          );
        runner.changed(version);
      },
      onStatus: (next) => say({ config: next }),
    });
  } catch (error) {
    if (failed.signal.aborted) throw failed.signal.reason;
    if (exited.signal.aborted && !signal.aborted) return ExitCode.ok;
    throw error;
  }
}

function checkProgram(action: Action, env: NodeJS.ProcessEnv): void {
  const why = action.kind === 'exec' ? whyNoProgram(action, env) : undefined;
  if (why !== undefined) throw new UsageError(`--on-change ${action.label}: ${why}`);
}

function performer(
  { caFile }: WatchRunOptions,
  { log, inherited }: Pick<Context, 'log' | 'inherited'>,
): RunnerParts['perform'] {
  const redact = outputRedactor(inherited);
  return async (action, signal) => {
    switch (action.kind) {
      case 'signal':
        return `sent to ${await sendSignal(action)}`;
      case 'exec':
        await runCommand(action, { signal, log, env: inherited, redact });
        return 'done';
      case 'http': {
        const { sendRequest } = await import('./on-change-http.ts');
        await sendRequest(action, { signal, caFile });
        return 'accepted';
      }
    }
  };
}

/** Whether the command is another one than before, by what lies in /run/kolla or, without it, by what we have seen. */
function commandKeeper(root: string, log: Context['log']): (command: string) => Promise<boolean> {
  let last: string | undefined;
  return async (command) => {
    const wasAnother = await leaveRunCommand(root, command, log);
    const isAnother = wasAnother || (last !== undefined && last !== command);
    last = command;
    return isAnother;
  };
}
