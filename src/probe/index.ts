/**
 * kolla-probe: is this service healthy, and if not, why?
 *
 *   argv -> check (one file each) -> verdict { healthy, reason } -> exit code and one line
 *
 * A check never throws for "unhealthy": that is an answer, exit 1 with the reason on stderr. It throws only for a
 * question that makes no sense. Every check has its own deadline, which must lie under the kubelet's timeoutSeconds
 * (1 s unless set), because a probe that the kubelet has to kill tells nothing.
 */
import type { Helper } from '../cli/command.ts';
import { http } from './checks/http.ts';
import { tcp } from './checks/tcp.ts';

export const probe: Helper = {
  name: 'kolla-probe',
  summary: 'Tells whether a service is healthy, and if not, why.',
  isGuest: true,
  commands: { http, tcp },
};
