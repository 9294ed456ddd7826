import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Log } from '../core/log.ts';
import { LEASE_RESOURCE } from '../kube/db-sync-lease.ts';
import type { KubeClient, ObjectRef } from '../kube/types.ts';
import { takeLease, type HeldLease } from '../migrate/lease/index.ts';
import type { CONTROLLERS } from './options.ts';

/** Another replica takes over after this time without a renewal. */
const LEASE_MS = 30_000;
/** When a leader without confirmation stops; the rest of the Lease is for ending Helm (HELM_GRACE_MS). */
const LOSS_MS = 20_000;

/**
 * The Lease of a set of controllers. All processes that run Helm have the same, whatever else they run, since each takes another
 * process's unfinished operation for interrupted.
 */
export function electionLease(namespace: string, controllers: readonly (typeof CONTROLLERS)[number][]): ObjectRef {
  const { group, resource } = LEASE_RESOURCE;
  const suffix = controllers.includes('service') ? '' : `-${controllers.toSorted().join('-')}`;
  return { group, version: 'v1', resource, namespace, name: `kolla-operator${suffix}` };
}

/** A name that no other process has, also after a restart in the same Pod. */
export function processName(): string {
  return randomBytes(6).toString('hex');
}

/** Waits until this process is the leader. @throws the signal's reason; NotPermittedError */
export async function lead(
  client: KubeClient,
  ref: ObjectRef,
  process: string,
  signal: AbortSignal,
  log: Log,
): Promise<HeldLease> {
  return await takeLease(
    { client, ref, isLastBeforeRollout: false, isOneWay: false, purpose: 'by which replicas elect a leader' },
    { holder: `${hostname()}/${process}`, leaseMs: LEASE_MS, lossMs: LOSS_MS, deadline: Infinity, signal, log },
  );
}
