import { formatDuration } from '../../core/duration.ts';
import type { ListenAddress } from '../../net/dial/address.ts';
import {
  healthAnswer,
  NOT_FOUND,
  serveRoutes,
  type Inside,
  type Request,
  type Route,
  type Routes,
} from '../../net/http/router.ts';
import type { Answer } from '../../net/http/exchange.ts';
import { METRICS_TYPE, metricsText, type Family } from '../../net/prometheus.ts';
import { probeFamilies } from './metrics.ts';
import { healthOf, ROLES, type Part, type Role, type RoleHealth } from './part.ts';
import type { CheckStatus } from './resident-check.ts';

export interface ServedOptions extends Inside {
  readonly listen: ListenAddress;
}

/** The state that is served, and additions to it. Checks are never run on request. */
export interface Served {
  readonly checks: () => readonly CheckStatus[];
  /** More parts on which probes depend, evaluated on each request: components of the sidecar. */
  readonly others?: () => readonly Part[];
  /** Additional paths, which take precedence. */
  readonly routes?: Routes;
  /** Metrics of other components. */
  readonly families?: () => readonly Family[];
}

/** Serves probes until it is disposed. */
export interface ProbeServer extends AsyncDisposable {
  readonly port: number;
  /** Called on shutdown: from now on /readyz returns 503, and everything else stays unchanged. */
  drain(): void;
}

/**
 * Serves the state over HTTP.
 * @param signal ends the lookup of the address
 * @throws ConfigError if the address is in use or not local
 */
export async function serveProbes(options: ServedOptions, served: Served, signal: AbortSignal): Promise<ProbeServer> {
  const { checks, others = () => [], routes = {}, families = () => [] } = served;
  let isEnding = false;
  const known: Known = { checks, others, families, isEnding: () => isEnding };
  const http = await serveRoutes(options.listen, { ...probeRoutes(known), ...routes }, options, signal);
  return {
    port: http.port,
    drain: () => void (isEnding = true),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** The state that the paths show. */
interface Known extends Required<Omit<Served, 'routes'>> {
  /** Whether the Pod is shutting down. Readiness then fails, so that the Pod gets no new work. */
  readonly isEnding: () => boolean;
}

const PATHS: Readonly<Record<Role, string>> = { startup: '/startupz', liveness: '/livez', readiness: '/readyz' };
const CHECKS_PATH = '/checks/';

function probeRoutes(known: Known): Routes {
  const probes = ROLES.map((role): [string, Route] => [
    PATHS[role],
    { kind: 'public', answer: (request) => probeAnswer(role, known, request) },
  ]);
  return {
    ...Object.fromEntries(probes),
    '/metrics': { kind: 'public', answer: () => metricsAnswer(known) },
    [CHECKS_PATH]: { kind: 'inside', answer: ({ path }) => checkAnswer(path, known) },
    '/status.json': { kind: 'inside', answer: () => statusAnswer(known) },
    '/': { kind: 'inside', answer: () => ({ status: 200, body: overview(known) }) },
  };
}

/** The result of a probe. Readiness also takes the shutdown into account. */
function roleHealth(role: Role, known: Known): RoleHealth | { readonly isOk: false; readonly word: 'ending' } {
  if (role === 'readiness' && known.isEnding()) return { isOk: false, word: 'ending' };
  return healthOf(role, partsOf(known));
}

/** All parts on which probes depend. */
function partsOf({ checks, others }: Known): readonly Part[] {
  return [...checks(), ...others()];
}

function probeAnswer(role: Role, known: Known, { isVerbose, refusal }: Request): Answer {
  const health = roleHealth(role, known);
  const { status, body } = healthAnswer(health);
  if (!isVerbose) return { status, body };
  if (refusal !== undefined) return refusal;
  const parts = partsOf(known).filter(({ roles }) => roles.includes(role));
  return { status, body: [...parts.map((part) => lineOf(part)), `${role}: ${health.word}`, ''].join('\n') };
}

function checkAnswer(path: string, known: Known): Answer {
  const part = partsOf(known).find(({ name }) => name === path.slice(CHECKS_PATH.length));
  if (part === undefined) return NOT_FOUND;
  return { status: part.state === 'healthy' ? 200 : 503, body: `${lineOf(part)}\n` };
}

function metricsAnswer(known: Known): Answer {
  const families = [...probeFamilies(known.checks(), partsOf(known)), ...known.families()];
  return { status: 200, body: metricsText(families), type: METRICS_TYPE };
}

function statusAnswer(known: Known): Answer {
  const probes = Object.fromEntries(ROLES.map((role) => [role, roleHealth(role, known).word]));
  const status = { probes, checks: known.checks(), parts: known.others() };
  return { status: 200, body: `${JSON.stringify(status)}\n`, type: 'application/json' };
}

function overview(known: Known): string {
  const probes = ROLES.map((role) => `${PATHS[role]}: ${roleHealth(role, known).word}`);
  return [...probes, '', ...partsOf(known).map((part) => lineOf(part)), ''].join('\n');
}

const MARKS = { healthy: '+', unhealthy: '-', unseen: '?', unknown: ' ' } as const;

/** Formatted like the API server's `?verbose`: `[-] api unhealthy for 40s: status 503`. */
function lineOf({ name, state, reason, since }: Part): string {
  const lasted = formatDuration(Math.max(0, Date.now() - since));
  return `[${MARKS[state]}] ${name} ${state} for ${lasted}${reason === undefined ? '' : `: ${reason}`}`;
}
