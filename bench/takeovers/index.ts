/**
 * Takeovers of a migration by real processes on a real cluster:
 *
 *   arena (three Galera nodes, an API server) -> lanes: databases, each with 12 contending kolla-db-sync, spread over the
 *     nodes -> the holder's migration writes a journal through every node, and does not end by itself
 *     -> a fault strikes the holder -> another migration starts -> the fault is undone -> the fenced one exits
 *     -> judged: none of its rows after the successor's start, growing tokens, unchanged rows -> the successor succeeds
 *
 * Overlap is judged only by the order in which the journal was committed, not by our lock or our log. A contender that
 * exits is replaced, as by a kubelet. What can fail: no migrator takes over (reported by the watchdog), a fenced one
 * writes a row, a token does not grow; each error carries the journal's end and both logs.
 */
export { openArena, type Arena } from './arena.ts';
export { FROZEN, HOLDER_FAULTS, KILL, NODE_FAULTS, RELEASE, type Fault } from './faults.ts';
export { overlapsIn, readJournal } from './journal.ts';
export { openLane, type Lane } from './lane.ts';
export { play, type Game } from './round.ts';
export { Tally, type Taken } from './tally.ts';
