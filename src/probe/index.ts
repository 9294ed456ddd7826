/**
 * kolla-probe: is this service healthy, and if not, why?
 *
 *   argv, or a check's line in kolla-pod.yaml -> check (one file each in checks/) -> Question, looked over but not yet asked
 *   Question -> asked once under a deadline -> verdict { healthy | reason } -> exit code and one line
 *            -> or again and again by the resident server (serve/) -> cached verdict -> HTTP probes, metrics
 *
 * A check never throws for "unhealthy": that is an answer, exit 1 with the reason on stderr. It throws only for a
 * question that makes no sense. Every check has its own deadline, which must lie under the kubelet's timeoutSeconds
 * (1 s unless set), because a probe that the kubelet has to kill tells nothing.
 */
import type { Helper } from '../cli/command.ts';
import { ALL_CHECKS } from './checks/index.ts';
import { probeOf } from './probe-of.ts';

export { ALL_CHECKS };
export const probe: Helper = probeOf(ALL_CHECKS);
