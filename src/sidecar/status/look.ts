import { hostname } from 'node:os';
import { VERSION } from '../../core/version.ts';
import type { CheckStatus } from '../../probe/serve/index.ts';
import { healthOf, type Part } from '../../probe/serve/part.ts';
import { STATUS_SCHEMA, type About, type CheckRow, type ComponentStatus, type StatusDocument } from './document.ts';

/** The state of the components, evaluated on demand. */
export interface Sources {
  readonly config: () => StatusDocument['config'];
  readonly files: () => StatusDocument['files'];
  readonly refusals: () => StatusDocument['refusals'];
  readonly waits: () => StatusDocument['waits'];
  readonly migration: () => StatusDocument['migration'];
  readonly checks: () => readonly CheckStatus[];
  readonly shipping: () => StatusDocument['shipping'];
}

/** Values for components that do not exist. */
export const NO_SOURCES: Sources = {
  config: () => null,
  files: () => [],
  refusals: () => [],
  waits: () => [],
  migration: () => null,
  checks: () => [],
  shipping: () => null,
};

/** Additional input for the document. */
interface SidecarState {
  readonly components: () => readonly ComponentStatus[];
  /** All parts on which probes depend. */
  readonly parts: () => readonly Part[];
  readonly isStopping: () => boolean;
  readonly startedAt: number;
  /** The variables of the downward API. */
  readonly env: NodeJS.ProcessEnv;
}

/** The current document on each call. */
export function lookWith(sources: Sources, state: SidecarState): () => StatusDocument {
  return () => ({
    schema: STATUS_SCHEMA,
    about: aboutOf(state),
    components: state.components(),
    config: sources.config(),
    files: sources.files(),
    refusals: sources.refusals(),
    waits: sources.waits(),
    migration: sources.migration(),
    checks: sources.checks().map((check) => rowOf(check)),
    shipping: sources.shipping(),
  });
}

function aboutOf({ parts, isStopping, startedAt, env }: SidecarState): About {
  const all = parts();
  return {
    version: VERSION,
    pod: env['POD_NAME'] || hostname(),
    namespace: env['POD_NAMESPACE'] || null,
    node: env['NODE_NAME'] || null,
    startedAt,
    isStopping: isStopping(),
    startup: healthOf('startup', all).word,
    liveness: healthOf('liveness', all).word,
    readiness: isStopping() ? 'ending' : healthOf('readiness', all).word,
  };
}

function rowOf({
  name,
  subject,
  roles,
  state,
  reason,
  since,
  answeredAt,
  lastMs,
  asked,
  failed,
}: CheckStatus): CheckRow {
  return {
    name,
    subject: withoutUserinfo(subject),
    roles,
    state,
    reason: reason ?? null,
    since: Math.round(since),
    answeredAt: answeredAt === undefined ? null : Math.round(answeredAt),
    lastMs: lastMs === undefined ? null : Math.round(lastMs * 10) / 10,
    asked,
    failed,
  };
}

/** The URL without credentials: `http://user:password@host/` becomes `http://host/`. */
export function withoutUserinfo(text: string): string {
  return text.replaceAll(/(:\/\/)[^/@\s]*@/g, '$1');
}
