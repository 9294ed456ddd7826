import { formatDuration } from '../../core/duration.ts';
import type { KubeObject } from '../../kube/types.ts';

interface Probe {
  readonly failureThreshold?: number;
  readonly periodSeconds?: number;
  readonly initialDelaySeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: string };
}

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly startupProbe?: Probe;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

/** The fields of our own Pod that determine whether the kubelet lets a migration finish. */
export interface SidecarPod extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid?: string };
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly terminationGracePeriodSeconds?: number;
  };
}

/** What we require of the kubelet. Times are in milliseconds. */
export interface SidecarNeeds {
  readonly timeout: number;
  readonly lockTimeout: number;
  readonly grace: number;
  /** The port of the probes. */
  readonly port: number;
  /** Whether /startupz fails until the migration is done. */
  readonly holdsBack: boolean;
  /** Valid paths for our startup probe. The first one is recommended. */
  readonly paths?: readonly [string, ...string[]];
}

const OWN_PATHS = ['/startupz', '/readyz'] as const;

/**
 * Seconds that a stop takes after --grace if neither server responds: 5 s to stop the command, 1 s for a pending
 * renewal, 4 s to record the end, 1 s to release the lock, 4 s to drop the temporary account.
 */
const STOPPING_S = 15;
/** Kubernetes' defaults, which the API server sets. */
const DEFAULTS = { failureThreshold: 3, periodSeconds: 10, initialDelaySeconds: 0 };
const POD_GRACE_S = 30;

/** The minimum time in seconds that the kubelet must wait, and why, for messages. */
export function neededSeconds({ timeout, lockTimeout, grace }: SidecarNeeds) {
  return {
    startup: Math.ceil((timeout + lockTimeout) / 1000),
    startupIs: `--timeout ${formatDuration(timeout)} + --lock-timeout ${formatDuration(lockTimeout)}`,
    stop: Math.ceil(grace / 1000) + STOPPING_S,
    stopIs: `--grace ${formatDuration(grace)} + ${STOPPING_S}s`,
  };
}

/**
 * Why the kubelet would end this container during a migration, or start the service before the migration's end, with
 * the values to set; undefined if it would do neither.
 * @param name the name of our container
 */
export function whyUnsafe({ spec = {} }: SidecarPod, name: string, needs: SidecarNeeds): string | undefined {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds = POD_GRACE_S } = spec;
  const init = initContainers.find((container) => container.name === name);
  const own = init ?? containers.find((container) => container.name === name);
  if (own === undefined) return undefined;
  if (init !== undefined && init.restartPolicy !== 'Always') {
    return (
      `init container ${name} has no restartPolicy: Always, and with --stay it never exits: add that, or ` +
      'remove --stay'
    );
  }
  const problems = [
    own.startupProbe === undefined ? withoutProbe(init !== undefined, needs) : tooShort(own.startupProbe, needs),
    own.startupProbe && elsewhere(own, own.startupProbe, needs),
    tooSoonKilled('terminationGracePeriodSeconds', terminationGracePeriodSeconds, needs),
    tooSoonKilled(
      'startupProbe.terminationGracePeriodSeconds',
      own.startupProbe?.terminationGracePeriodSeconds ?? Infinity,
      needs,
    ),
  ].filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : `container ${name}: ${problems.join('; ')}`;
}

function withoutProbe(isSidecar: boolean, needs: SidecarNeeds): string | undefined {
  // Without a startup probe, only a sidecar that must hold back later containers is unsafe.
  if (!isSidecar || !needs.holdsBack) return undefined;
  const { periodSeconds } = DEFAULTS;
  const failureThreshold = Math.ceil(neededSeconds(needs).startup / periodSeconds);
  const [path] = needs.paths ?? OWN_PATHS;
  const probe = `{ httpGet: { path: ${path}, port: ${needs.port} }, periodSeconds: ${periodSeconds}, failureThreshold: ${failureThreshold} }`;
  return `it has no startupProbe, so the service would start before its schema is ready: add startupProbe: ${probe}`;
}

function tooShort(probe: Probe, needs: SidecarNeeds): string | undefined {
  if (!needs.holdsBack) return undefined;
  const { failureThreshold, periodSeconds, initialDelaySeconds } = { ...DEFAULTS, ...probe };
  const has = failureThreshold * periodSeconds + initialDelaySeconds;
  const { startup, startupIs } = neededSeconds(needs);
  if (has >= startup) return undefined;
  const delay = initialDelaySeconds === 0 ? '' : ` + initialDelaySeconds ${initialDelaySeconds}`;
  const enough = Math.ceil((startup - initialDelaySeconds) / periodSeconds);
  return (
    `its startupProbe fails after ${has} s (failureThreshold ${failureThreshold} * periodSeconds ` +
    `${periodSeconds}${delay}), and the kubelet restarts it in the middle of a migration, but ` +
    `${startupIs} is ${startup} s: set failureThreshold: ${enough}, and more for the migration itself`
  );
}

/** The problem if a probe requests another endpoint, where it would never succeed, or succeed at once. */
function elsewhere(
  { ports = [] }: Container,
  { httpGet }: Probe,
  { port, paths = OWN_PATHS }: SidecarNeeds,
): string | undefined {
  if (httpGet === undefined) return undefined;
  const asked =
    typeof httpGet.port === 'number' ? httpGet.port : ports.find((each) => each.name === httpGet.port)?.containerPort;
  const scheme = httpGet.scheme ?? 'HTTP';
  if (asked === port && scheme === 'HTTP' && paths.includes(httpGet.path ?? '/')) return undefined;
  const found = `${scheme} ${httpGet.path ?? '/'} on port ${httpGet.port}`;
  return `its startupProbe requests ${found}: set httpGet: { path: ${paths[0]}, port: ${port} }`;
}

function tooSoonKilled(field: string, seconds: number, needs: SidecarNeeds): string | undefined {
  const { stop, stopIs } = neededSeconds(needs);
  return seconds >= stop ? undefined : `${field} is ${seconds}, but ${stopIs} is ${stop} s: set ${field}: ${stop}`;
}
