import { formatDuration } from '../core/duration.ts';
import { DeadlineError, NotPermittedError } from '../core/errors.ts';
import type { Live } from '../cli/live.ts';
import type { Log } from '../core/log.ts';
import type { KubeClient } from '../kube/types.ts';
import type { Board } from './board.ts';
import type { Dependency } from './dependency/dependency.ts';
import { reportInLines, reportInTable, type BoardReport } from './tell.ts';
import type { Effects, WaitOptions, Waiter } from './dependency/waiter.ts';

export interface WaitAllContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** A terminal for a table. Without one, every change is a log line. */
  readonly live?: Live | undefined;
  /** Reports states in the format of another tool. */
  readonly tell?: ((log: Log, now: () => number) => BoardReport) | undefined;
  /** Connects to the API server. Called once at most, by the first wait that needs it. */
  readonly kube: () => Promise<KubeClient>;
}

/**
 * Resolves when all dependencies are ready. Rejects with DeadlineError after `timeoutMs` or the timeout of a
 * dependency, with the KollaError of the first dependency that can never become ready, and with the signal's reason.
 */
export async function waitForAll(
  dependencies: readonly Dependency[],
  options: WaitOptions & { readonly timeoutMs: number },
  { signal, log, live, tell, kube }: WaitAllContext,
): Promise<void> {
  const now = () => performance.now();
  using report = tell?.(log, now) ?? (live === undefined ? reportInLines(log, now) : reportInTable(live, log, now));
  const { board } = report;
  const warn = once(log);
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, deadline, over.signal]);
  // Code for API objects is loaded only if there are some: what is read takes memory as long as the waits last.
  const needsApi = dependencies.some(({ form }) => form === 'object');
  const effects = needsApi
    ? (await import('./effects.ts')).effectsFor(dependencies, { self: options.self, kube, warn, stop })
    : undefined;
  const waits = dependencies.map((dependency) => ({ dependency, waiter: waiterFor(dependency, options, effects) }));
  for (const { text } of dependencies) board.begin(text);
  await Promise.allSettled(
    waits.map(async ({ dependency: { text, timeoutMs }, waiter }) => {
      const own = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      try {
        const until = own === undefined ? stop : AbortSignal.any([stop, own]);
        board.met(text, await waiter.wait((seen, why) => board.change(text, seen, why), until));
      } catch (error) {
        if (stop.aborted) return;
        over.abort(
          own?.aborted === true
            ? expired(`${text} not ready after its ${formatDuration(timeoutMs ?? 0)}`, waits, board)
            : forAll(error, dependencies.filter(({ form }) => form === 'object').length),
        );
      }
    }),
  );
  signal.throwIfAborted();
  over.signal.throwIfAborted();
  if (board.open.length > 0) throw expired(`not ready after ${formatDuration(options.timeoutMs)}`, waits, board);
}

interface Wait {
  readonly dependency: Dependency;
  readonly waiter: Waiter;
}

function waiterFor(dependency: Dependency, options: WaitOptions, effects: Effects | undefined): Waiter {
  switch (dependency.form) {
    case 'object':
      return dependency.of.make(dependency, options, effects!);
    case 'server':
      return dependency.of.make(dependency, options);
    case 'url':
      return dependency.of.make(dependency, options);
    case 'path':
      return dependency.of.make(dependency, options);
  }
}

function expired(what: string, waits: readonly Wait[], board: Board): DeadlineError {
  const open = new Set(board.open.map(({ text }) => text));
  const each = waits
    .filter(({ dependency: { text } }) => open.has(text))
    .map(({ dependency: { text }, waiter }) => {
      const hint = waiter.hint();
      return `${text} (${board.stateOf(text)}${hint === undefined ? '' : `; next: ${hint}`})`;
    });
  return new DeadlineError(`${what}: ${each.join(', ')}`);
}

/**
 * Adds a hint to a denial, as a comment in the YAML of its Role: a Role for the first denied request alone would lead
 * to the next denial.
 */
function forAll(error: unknown, objects: number): unknown {
  if (!(error instanceof NotPermittedError) || objects < 2) return error;
  const hint = `# for one of ${objects} waits; kolla-init rbac with the same waits prints the Roles of all`;
  return new NotPermittedError(`${error.message.trimEnd()}\n${hint}\n`, { cause: error });
}

/** Logs each message once, because several waiters may find the same problem. */
function once(log: Log): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    log.warn(message);
  };
}
