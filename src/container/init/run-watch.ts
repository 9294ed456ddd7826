/**
 * kolla-init watch: installs a changing configuration and notifies the service.
 *
 *   --on-change parsed (a typo is an error before anything is watched) -> config/watch: look, apply -> changes ->
 *   actions in order, each until it has succeeded or a newer version exists
 *
 * Exits with 0 through the action exit, else only through the signal: a rejected version, a full disk and a failed
 * action are logged, counted and retried.
 */
import { accessSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/command.ts';
import { trustOfSecured, type TlsValues, type Trust } from '../../cli/tls-option.ts';
import { formatDuration } from '../../core/duration.ts';
import { ConfigError, ExitCode, messageOf } from '../../core/errors.ts';
import type { InPlace } from '../../config/index.ts';
import { fingerprintOf, watchConfig, STARTING, type WatchOptions, type WatchStatus } from '../../config/watch/index.ts';
import { certificateCheck, prepareCertificates } from './files.ts';
import {
  ActionRunner,
  checkProgram,
  NO_ACTIONS,
  parseActions,
  pendingIn,
  performer,
  type Action,
  type ActionStatus,
} from './on-change/index.ts';
import { leaveRunCommand } from './run-command.ts';
import { installedBefore, watchRecorder } from './watch-record.ts';

/**
 * Options of a watch, except writesInPlace, which is always set: files that the service mounts individually must keep
 * their inode, because the service would not see new versions otherwise.
 */
export interface WatchRunOptions extends Omit<WatchOptions, 'writesInPlace'>, TlsValues {
  /** Values of `--on-change`. */
  readonly onChange: readonly string[];
  /** Timeout of one attempt of an action. */
  readonly actionTimeoutMs: number;
}

export interface WatchRunStatus {
  readonly config: WatchStatus;
  readonly actions: ActionStatus;
}

/**
 * Watches the configuration until `exit` is reached (0) or the signal is aborted, whose reason it then rejects with.
 * @param onStatus called on each change, for a status page
 * @throws UsageError for an action that is impossible here, ConfigError for a missing root
 */
export async function runWatch(
  options: WatchRunOptions,
  { signal, log, inherited }: Pick<Context, 'signal' | 'log' | 'inherited'>,
  onStatus: (status: WatchRunStatus) => void = () => {},
): Promise<ExitCode> {
  const actions = checkedActions(options, inherited);
  const exits = actions.some(({ kind }) => kind === 'exit');
  const [exited, failed] = [new AbortController(), new AbortController()];
  const either = AbortSignal.any([signal, exited.signal, failed.signal]);
  let status: WatchRunStatus = { config: STARTING, actions: NO_ACTIONS };
  const record = watchRecorder(options.root, log);
  const say = (change: Partial<WatchRunStatus>) => onStatus((status = { ...status, ...change }));
  const labels = actions.map(({ label }) => label).join(', then ') || 'nothing more';
  log.info(
    `watching ${options.configFile ?? options.configDir}, content compared each ${formatDuration(options.pollMs)}; on change: ${labels}`,
  );
  const pending = pendingIn(options.root, log);
  await using runner = new ActionRunner(actions, {
    signal: either,
    log,
    onAllDone: () => pending.notified(),
    timeoutMs: options.actionTimeoutMs,
    perform: performer(actionTrust(options, actions), { log, inherited }),
    onExit: () => exited.abort(),
    onBug: (error) => failed.abort(error),
    onStatus: (next) => say({ actions: next }),
  });
  const isUnfinished = pending.wasLeft();
  const wasLeft = isUnfinished && actions.length > 0;
  if (wasLeft) log.info('the previous watch ended before it had notified the service of its last change');
  const prepare = () => pending.begin();
  try {
    return await watchConfig(
      { ...options, writesInPlace: true, validate: certificateCheck(options) },
      {
        signal: either,
        log,
        installedBefore: isUnfinished ? undefined : installedBefore(options.root, log),
        prepare,
        finish: finisher(options, { signal: either, log }, wasLeft, prepare),
        onApplied({ version, others }) {
          if (others.includes(COMMAND) && !exits) log.warn(NEEDS_RESTART, { version });
          pending.applied();
          runner.changed(version);
        },
        onStatus(next) {
          record(next);
          say({ config: next });
        },
      },
    );
  } catch (error) {
    if (failed.signal.aborted) throw failed.signal.reason;
    if (exited.signal.aborted && !signal.aborted) return ExitCode.ok;
    throw error;
  }
}

/**
 * Parses and validates the actions of these options.
 * @throws as runWatch()
 */
export function checkedActions(
  { onChange, root, ...tls }: Pick<WatchRunOptions, 'onChange' | 'root' | 'tls' | 'caFile'>,
  inherited: NodeJS.ProcessEnv,
): readonly Action[] {
  const actions = parseActions(onChange);
  for (const action of actions) checkProgram(action, inherited);
  actionTrust(tls, actions);
  try {
    accessSync(root);
  } catch (cause) {
    throw new ConfigError(`--root ${root}: ${messageOf(cause)}; mount a volume there`, { cause });
  }
  return actions;
}

/** What to verify about servers of https:// actions. Throws UsageError if --tls or --ca-file contradict them. */
function actionTrust(values: TlsValues, actions: readonly Action[]): Trust {
  const urls = actions.flatMap((action) => (action.kind === 'http' ? [action] : []));
  return trustOfSecured(
    values,
    urls.map(({ url, label }) => ({ url, called: `--on-change ${label}` })),
  );
}

const COMMAND = 'the command';
const NEEDS_RESTART =
  'config.json has another command now: the service runs the old one until its container is restarted ' +
  '(delete the Pod, or use the action exit)';

/**
 * Updates the CA store and the command of a version. Changes are detected from the files, and from earlier calls.
 * @param wasLeft the first version counts as changed
 * @param prepare called before either changes; after a first version's command, which may differ from an earlier watch's
 */
function finisher(
  { root, configDir }: WatchRunOptions,
  { signal, log }: Pick<Context, 'signal' | 'log'>,
  wasLeft: boolean,
  prepare: () => void,
): (applied: InPlace) => string[] {
  let [isFirst, command, certificates] = [true, '', ''];
  return (applied) => {
    const next = root === '/' ? '' : fingerprintOf([join(configDir, 'ca-certificates')]);
    const others = isFirst
      ? wasLeft
        ? ['earlier changes']
        : []
      : [...(applied.command === command ? [] : [COMMAND]), ...(next === certificates ? [] : ['CA certificates'])];
    if (others.length > 0) prepare();
    prepareCertificates({ root, configDir }, applied.sources, { signal, log });
    const wasAnother = leaveRunCommand(root, applied.command, log);
    if (wasAnother && !others.includes(COMMAND)) {
      prepare();
      others.push(COMMAND);
    }
    [isFirst, command, certificates] = [false, applied.command, next];
    return others;
  };
}
