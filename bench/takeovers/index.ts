/**
 * Takeovers of a migration, on a real cluster, by real processes:
 *
 *   arena (three nodes of Galera, an API server) -> lanes: a database each, for which 12 kolla-db-sync contend, spread over
 *     the nodes -> the holder's migration writes into a journal through every node, and does not end by itself
 *     -> a fault strikes the holder -> another migration starts -> the fault is undone -> the fenced one ends
 *     -> judged: no row of it after the successor's start, tokens that grow, its rows as they were -> the successor ends well
 *
 * Overlap is judged by the journal's committed order alone: what our lock and our log say is not asked. Who ends is
 * replaced, as a kubelet would do it. What can fail: no migrator takes over in time (NoTakeover), a row of a fenced one
 * (Overlap), a token that did not grow; each error comes with the journal's end and the logs of both.
 */
export { openArena, type Arena } from './arena.ts';
export { FROZEN, HOLDER_FAULTS, KILL, NODE_FAULTS, RELEASE, type Fault } from './faults.ts';
export { overlapsIn, readJournal } from './journal.ts';
export { openLane, type Lane } from './lane.ts';
export { play, type Game } from './round.ts';
export { Tally, type Taken } from './tally.ts';
