import { holderIn, sightOf, type LeaseObject } from './object.ts';

/**
 * Tells in how many milliseconds a Lease is free if nothing more is heard of its holder: 0 when it has no holder, or when
 * it has been as it is for its own duration, and no less than ours, since we first saw it so. By our own clock: what
 * stands in renewTime is only compared with what stood there before.
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

/** For how long its holder has it without a renewal. */
export function durationMsOf({ spec = {} }: LeaseObject, leaseMs: number): number {
  return Math.max(leaseMs, (spec.leaseDurationSeconds ?? 0) * 1000);
}
