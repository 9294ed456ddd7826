/**
 * Faults while numbered lines are written and shipped, each judged line by line:
 *
 *   writer (a process of its own: numbered events into a log, rotations, and beside it the truth, synced) -> kolla-log-ship
 *     (the real one, as a process) -> a server (real Elasticsearch, or a sink that refuses, rejects and breaks off)
 *     -> the fault strikes and is over -> the writer ends -> SIGTERM, which must ship the rest -> once more with --once, which
 *     must bring nothing new -> the server is asked for every document -> one row: written, in index, distinct, lost, doubled
 *
 * What kolla-log-ship says of itself is not asked: the writer's truth and the server's documents decide. Small in
 * `make test`, at length in `make soak`. What can fail: a line that is nowhere (lost), in two documents (doubled), or in
 * a document that is not its own or not whole (torn); each error comes with the numbers and the end of the shipper's log.
 */
export { runFault, assertOnce, type Destination, type Fault, type Size, type Stage } from './run.ts';
export { headOf, judge, rowOf, type Row } from './row.ts';
export { linesOf } from './numbered.ts';
export { sinkDestination, type SinkDestination } from './sink.ts';
export { SERVER_FAULTS } from './server-faults.ts';
export { CONTROLS, DISK_FAULTS, KILL_FAULTS, PROCESS_FAULTS, WITHOUT_CHECKPOINT } from './process-faults.ts';
export { ROTATION_FAULTS } from './rotation-faults.ts';
export {
  ELASTICSEARCH_FAULTS,
  elasticsearchDestination,
  ELASTICSEARCH_SETTINGS,
  FLOOD_STAGE,
} from './elasticsearch-faults.ts';
export { allAtOnce, type Happened } from './all-at-once.ts';
export { OPTION_FAULTS } from './option-faults.ts';
