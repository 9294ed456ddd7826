import type { Effects } from '../../src/provision/converge/effects.ts';
import type { Log } from '../../src/core/log.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => quiet };

/** Effects that log nothing and have no deadline. */
export function quietEffects(): Effects {
  const { signal } = new AbortController();
  return { signal, log: quiet, deadline: signal, timeoutMs: 60_000 };
}
