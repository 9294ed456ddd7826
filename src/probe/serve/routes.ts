import { formatDuration } from '../../core/duration.ts';
import { healthAnswer } from '../../net/http/health-server.ts';
import { NOT_FOUND, type Answer } from '../../net/http/respond.ts';
import { FORBIDDEN, type Asked, type Route, type Routes } from '../../net/http/router.ts';
import { METRICS_TYPE, metricsText, type Family } from '../../net/prometheus.ts';
import type { CheckStatus } from './checks.ts';
import { probeFamilies } from './metrics.ts';
import { healthOf, ROLES, type Part, type Role, type RoleHealth } from './part.ts';

/** What the paths are answered from: kept, never asked for. */
export interface Known {
  readonly checks: () => readonly CheckStatus[];
  /** Whatever else decides probes: roles of the sidecar. */
  readonly others: () => readonly Part[];
  /** Metrics of others. */
  readonly families: () => readonly Family[];
  /** The pod is about to end: it gets no new work. */
  readonly isEnding: () => boolean;
}

const PATHS: Readonly<Record<Role, string>> = { startup: '/startupz', liveness: '/livez', readiness: '/readyz' };
const CHECKS_PATH = '/checks/';

/** The paths of the resident server. */
export function probeRoutes(known: Known): Routes {
  const probes = ROLES.map((role): [string, Route] => [
    PATHS[role],
    { kind: 'public', answer: (asked) => probeAnswer(role, known, asked) },
  ]);
  return {
    ...Object.fromEntries(probes),
    '/metrics': { kind: 'public', answer: () => metricsAnswer(known) },
    [CHECKS_PATH]: { kind: 'inside', answer: ({ path }) => checkAnswer(path, known) },
    '/status.json': { kind: 'inside', answer: () => statusAnswer(known) },
    '/': { kind: 'inside', answer: () => ({ status: 200, body: overview(known) }) },
  };
}

/** What a probe is told; readiness also that the end has come. */
export function roleHealth(role: Role, known: Known): RoleHealth | { readonly isOk: false; readonly word: 'ending' } {
  if (role === 'readiness' && known.isEnding()) return { isOk: false, word: 'ending' };
  return healthOf(role, partsOf(known));
}

/** All that decides probes. */
export function partsOf({ checks, others }: Pick<Known, 'checks' | 'others'>): readonly Part[] {
  return [...checks(), ...others()];
}

function probeAnswer(role: Role, known: Known, { query, mayLookInside }: Asked): Answer {
  const health = roleHealth(role, known);
  const { status, body } = healthAnswer(health);
  if (!query.has('verbose')) return { status, body };
  if (!mayLookInside) return FORBIDDEN;
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

/** As the API server's own `?verbose` marks them: `[-] api unhealthy for 40s: status 503`. */
export function lineOf({ name, state, reason, since }: Part): string {
  const lasted = formatDuration(Math.max(0, Date.now() - since));
  return `[${MARKS[state]}] ${name} ${state} for ${lasted}${reason === undefined ? '' : `: ${reason}`}`;
}
