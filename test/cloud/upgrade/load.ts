/**
 * The load of an upgrade: load.py in a Pod of the old release, whose lines are read at the end.
 *
 *   basis (image, flavor, network) -> Pod `load` -> requests and operations -> a row per service and phase
 */
import { readFile } from 'node:fs/promises';
import { REGISTRY } from '../images.ts';
import type { Basis } from '../operations/operation.ts';
import { CONTROL_NODE, type Stage } from '../stage.ts';
import type { Schema } from './schemas.ts';
import { until } from '../../support/until.ts';

const POD = 'load';
const KEYSTONE_UID = 42_425;

/** A request or an operation. */
export interface Sample {
  /** Seconds since 1970 when it began. */
  readonly at: number;
  /** `nova`, `server` */
  readonly what: string;
  readonly kind: 'new' | 'kept' | 'operation';
  readonly ok: boolean;
  readonly seconds: number;
  /** Of a failed one: the error. */
  readonly saw: string;
}

export interface Load {
  /** All so far. */
  samples(): Promise<Sample[]>;
  /** Ends it, in the middle of what it does. */
  stop(): Promise<void>;
}

export async function startLoad(stage: Stage, basis: Basis, password: string): Promise<Load> {
  const program = await readFile(new URL('load.py', import.meta.url), 'utf8');
  const env = { OS_PASSWORD: password, IMAGE: basis.image, FLAVOR: basis.small, NETWORK: basis.network };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD },
    spec: {
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Never',
      nodeName: CONTROL_NODE,
      securityContext: { runAsUser: KEYSTONE_UID, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: POD,
          image: `${REGISTRY}/keystone:${stage.release}`,
          command: ['/var/lib/kolla/venv/bin/python3', '-u', '-c', program],
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify(pod));
  const samples = async () => {
    const text = await stage.kubectl(['logs', POD]);
    return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Sample] : []));
  };
  await until('the load to have done each operation once', async (saw) => {
    const all = await samples().catch(() => []);
    const done = new Set(all.filter(({ kind, ok }) => kind === 'operation' && ok).map(({ what }) => what));
    saw([[...done].join(' '), all.findLast(({ ok }) => !ok)?.saw].join('; '));
    return done.size === 4 || undefined;
  });
  return { samples, stop: async () => void (await stage.kubectl(['delete', `pod/${POD}`, '--wait=true'])) };
}

/** What one service answered during a phase. */
export interface Row {
  readonly phase: string;
  readonly what: string;
  readonly isOperation: boolean;
  readonly count: number;
  readonly failed: readonly Sample[];
  readonly longestSeconds: number;
}

/** A part of the run, in seconds since 1970. */
export interface Phase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface MeasuredPhase extends Phase {
  /** At its end. */
  readonly schemas: readonly Schema[];
}

/** Samples by the phase in which they began, and by service or operation. */
export function rowsOf(samples: readonly Sample[], phases: readonly Phase[]): Row[] {
  return phases.flatMap(({ name: phase, from, to }) => {
    const within = samples.filter(({ at }) => at >= from && at < to);
    return [...new Set(within.map(({ what }) => what))].toSorted().map((what) => {
      const own = within.filter((one) => one.what === what);
      const longestSeconds = Math.max(...own.map(({ seconds }) => seconds));
      const isOperation = own.some(({ kind }) => kind === 'operation');
      return { phase, what, isOperation, count: own.length, failed: own.filter(({ ok }) => !ok), longestSeconds };
    });
  });
}
