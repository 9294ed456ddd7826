/**
 * The Kubernetes Lease in addition to the fence row: one of several migrators holds it; the others watch it.
 *
 *   --lock, credentials -> site (client, Lease) -> read; free without a holder, or if unchanged for a lease by our own
 *     clock -> taken by a PUT with the resourceVersion just read (or a POST) -> renewed until the end
 *   -> each renewal, and each publication in the annotations, is such a PUT too, one after the other
 *   -> the last one publishes the result and releases the Lease
 *
 * Times in a Lease are never compared with a clock: only a change shows that the holder is alive. A lost response is
 * recognized by the holder's name. Errors: no credentials (65), permission denied (77, with the Role to apply), the API
 * server unavailable until the deadline (75) or, while held, for --lock-loss: then it is lost.
 */
export { leaseGrants } from './grants.ts';
export type { HeldLease } from './hold.ts';
export { checkNamespace, leaseNameOf, leaseSite, type LeaseSite } from './site.ts';
export { isPublished, takeLease } from './take.ts';
