import { holderIn, sightOf, type LeaseObject } from './object.ts';

/**
 * In how many milliseconds a Lease is free if its holder does not renew it. 0 if it has no holder, or if it has been
 * unchanged for its own duration and at least ours. The time is measured with our own clock; renewTime is only compared
 * with its previous value.
 */
export function leaseWatch(
  leaseMs: number,
  now: () => number = () => performance.now(),
): (lease: LeaseObject | undefined) => number {
  let first: { readonly sight: string; readonly at: number } | undefined;
  return (lease) => {
    if (lease === undefined || holderIn(lease) === '') return 0;
    const sight = sightOf(lease);
    if (first?.sight !== sight) first = { sight, at: now() };
    return Math.max(0, first.at + durationMsOf(lease, leaseMs) - now());
  };
}

/** How long the holder keeps a Lease without a renewal. */
export function durationMsOf({ spec = {} }: LeaseObject, leaseMs: number): number {
  return Math.max(leaseMs, (spec.leaseDurationSeconds ?? 0) * 1000);
}
