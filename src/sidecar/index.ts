/**
 * kolla-sidecar: runs the helpers that a service needs during its life in one process, of kolla-core.
 *
 *   options -> components: each with its helper's options from its section of kolla-pod.yaml, validated (64, 65 before
 *   anything runs) -> the port is served -> a component's requirements on its Pod are checked (65) -> supervisor: each runs
 *   separately, with its own signal and log field, and is restarted with backoff when it fails
 *   components -> parts { state, reason } in addition to those of the checks -> /startupz /livez /readyz /metrics
 *     (probe/serve)
 *   components -> sources -> document -> hub: changes -> page, /status.json, /events (status/, page/)
 *   kolla-db-sync --stay (engine/), kolla-log-ship --listen (helpers/) -> their only component, served in the same way (serve)
 *     but not supervised: its exit code is the helper's (alone)
 *   db-sync -> kolla-pod, as a process that ends with the migration (engine/migrate-in-pod.ts)
 *   SIGTERM -> /readyz is 503 -> config-watch, then waits and db-sync, then log-ship, then the checks end -> 143
 *
 * An error of a component, even in a callback, is charged to it alone. Memory, a busy loop and a crash of the engine
 * cannot be isolated in one process; they end or stall all components, and the kubelet restarts the container. Every
 * component may be killed at any moment and resumes. kolla-sidecar composes the helpers, which do not depend on it.
 */
import type { Helper } from '../cli/command.ts';
import { UnavailableError } from '../core/errors.ts';
import { sidecarOf } from './sidecar-of.ts';

/** Its table, for kolla-pod, which executes kolla-core for it. */
export const sidecar: Helper = sidecarOf(() => Promise.reject(new UnavailableError('kolla-sidecar needs kolla-core')));
