import type { Context } from '../../../cli/command.ts';
import type { Trust } from '../../../cli/tls-option.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Action } from './actions.ts';
import { runCommand, whyNoProgram } from './exec.ts';
import { outputRedactor } from '../../../core/output-redactor.ts';
import type { RunnerParts } from './runner.ts';
import { sendSignal } from './signal.ts';

/** Throws UsageError if the action's program is missing or not executable. */
export function checkProgram(action: Action, env: NodeJS.ProcessEnv): void {
  const why = action.kind === 'exec' ? whyNoProgram(action, env) : undefined;
  if (why !== undefined) throw new UsageError(`--on-change ${action.label}: ${why}`);
}

/**
 * Performs one action for the runner.
 * @param trust what to verify about https:// servers
 */
export function performer(
  trust: Trust,
  { log, inherited }: Pick<Context, 'log' | 'inherited'>,
): RunnerParts['perform'] {
  const redact = outputRedactor(inherited);
  return async (action, signal) => {
    switch (action.kind) {
      case 'signal':
        return `sent to ${sendSignal(action, inherited['KUBERNETES_SERVICE_HOST'] !== undefined)}`;
      case 'exec':
        await runCommand(action, { signal, log, env: inherited, redact });
        return 'done';
      case 'http': {
        const { sendRequest } = await import('./http.ts');
        await sendRequest(action, { signal, trust });
        return 'accepted';
      }
    }
  };
}
