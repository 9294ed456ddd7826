import type { Context } from '../cli/command.ts';
import { ExitCode } from '../cli/errors.ts';
import { formatDuration } from '../cli/duration.ts';
import type { Option } from '../cli/option.ts';

/** Healthy, or the reason why not. */
export type Verdict =
  | { readonly healthy: true; readonly detail?: string }
  | { readonly healthy: false; readonly reason: string };

export const healthy: Verdict = { healthy: true };

export function unhealthy(reason: string): Verdict {
  return { healthy: false, reason };
}

/** Every check has it. */
export const TIMEOUT_OPTION = {
  flag: 'timeout',
  type: 'duration',
  env: 'KOLLA_PROBE_TIMEOUT',
  default: '900ms',
  help: "give up after this; keep it below the kubelet's timeoutSeconds",
  example: '2s',
} as const satisfies Option;

/**
 * Asks one question under a deadline and says the answer: the reason on stderr when unhealthy, nothing otherwise.
 * @param subject what was asked, as the user wrote it: `tcp mariadb:3306`
 */
export async function ask(
  subject: string,
  timeoutMs: number,
  { signal, log }: Context,
  check: (signal: AbortSignal) => Promise<Verdict>,
): Promise<ExitCode> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const verdict = await check(AbortSignal.any([signal, deadline]));
  signal.throwIfAborted();
  if (verdict.healthy) {
    log.debug(`${subject}: healthy`, verdict.detail === undefined ? {} : { detail: verdict.detail });
    return ExitCode.ok;
  }
  log.error(`${subject}: ${deadline.aborted ? `no answer in ${formatDuration(timeoutMs)}` : verdict.reason}`);
  return ExitCode.no;
}
