import {
  galeraState,
  galeraSwitches,
  hasLeft,
  whyUnusable,
  type GaleraState,
  type GaleraSwitches,
} from '../../mysql/galera.ts';
import type { RowSource } from '../../mysql/session.ts';
import { healthyAs, unhealthy, type CheckResult } from '../ask/verdict.ts';

export interface FitnessPolicy {
  readonly allowDonor: boolean;
  readonly allowDesync: boolean;
}

const DONOR = 'Donor/Desynced';
/** Why a less strict check would accept this node. */
const SELECT_1 = 'SELECT 1 still passes there, but tables are refused (error 1047)';

/** Queries a node's state with SQL and turns it into a verdict. */
export async function galeraVerdict(session: RowSource, policy: FitnessPolicy): Promise<CheckResult> {
  const state = await galeraState(session);
  if (state === undefined) return unhealthy('it is not a Galera node: wsrep_provider is none');
  const why = whyUnfit(state, await galeraSwitches(session), policy);
  return why === undefined ? healthyAs(`${state.state}, ${state.size} nodes`) : unhealthy(why);
}

/** The verdict for liveness: unhealthy only in the one state that a restart repairs. */
export async function disconnectedVerdict(session: RowSource): Promise<CheckResult> {
  const state = await galeraState(session);
  if (state === undefined) return healthyAs('it is no Galera node');
  return hasLeft(state) ? unhealthy(whyUnusable(state, 'ok') ?? '') : healthyAs(`${state.component}, ${state.state}`);
}

/** Why a node is not usable; undefined if it is. */
export function whyUnfit(state: GaleraState, switches: GaleraSwitches, policy: FitnessPolicy): string | undefined {
  const why = whyUnusable(state, 'ok');
  if (why !== undefined) return state.component === 'Primary' ? why : `${why}; ${SELECT_1}`;
  if (switches.rejects !== 'NONE')
    return `it is configured to reject queries: wsrep_reject_queries is ${switches.rejects}`;
  if (state.state !== DONOR) return undefined;
  if (switches.isDesynced) {
    return policy.allowDesync
      ? undefined
      : 'it is desynced on purpose (wsrep_desync is ON) and may lag; --allow-desync accepts it';
  }
  return policy.allowDonor ? undefined : 'it is the donor of a joining node; --allow-donor accepts it';
}
