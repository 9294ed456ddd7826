/**
 * kolla-probe: reports whether a service is healthy and, if not, why.
 *
 *   argv, or a check's line in kolla-pod.yaml -> check (one file each in checks/) -> Question, validated but not run yet
 *   Question -> run once within a deadline -> verdict { healthy
 *
 * reason } -> exit code and one line
 *
 *            -> or continuously by the resident server (serve/) -> cached verdict -> HTTP probes, metrics
 *
 * A check never throws for "unhealthy": that is a verdict, exit code 1 with the reason on stderr. It throws only for
 * invalid arguments. Every check has its own deadline, which must be below the kubelet's timeoutSeconds (default 1 s),
 * because a probe killed by the kubelet reports nothing.
 */
import type { Helper } from '../cli/command.ts';
import { ALL_CHECKS } from './checks/index.ts';
import { probeOf } from './probe-of.ts';

export { ALL_CHECKS };
export const probe: Helper = probeOf(ALL_CHECKS);
