/**
 * The Kubernetes Lease beside the fence row: of several that want to migrate, one holds it; the others watch it.
 *
 *   --lock, credentials -> site (client, which Lease) -> read; free when it has no holder, or when it was unchanged for a
 *   lease by our own clock -> taken by a PUT that holds the version just read (or a POST) -> renewed until the end
 *   -> each renewal, and what is published in the annotations, is such a PUT as well, one after the other
 *   -> the last one says how it ended and releases the Lease
 *
 * Times in a Lease are never compared with a clock: only a change shows that the holder lives. An answer that is
 * lost on the way is found again by the holder's name. What can fail: no credentials (65), a refusal (77, with the Role
 * to apply), the API server gone until the deadline (75) or, under a holder, for --lock-loss: then it is lost.
 */
export { leaseGrants } from './grants.ts';
export type { HeldLease } from './hold.ts';
export { checkNamespace, leaseNameOf, leaseSite, type LeaseSite } from './site.ts';
export { isPublished, takeLease } from './take.ts';
