/**
 * Fault injection while numbered lines are written and shipped, verified line by line:
 *
 *   writer (separate process: numbered events into a log, with rotations, and a synced truth file next to it)
 *     -> kolla-log-ship (the real one, as a process)
 *     -> server (real Elasticsearch, or a sink that rejects, throttles and drops connections)
 *     -> the fault strikes and ends -> the writer exits -> SIGTERM, which must ship the rest
 *     -> another run with --once, which must add nothing
 *     -> every document is read back -> one row: written, in index, distinct, lost, duplicated
 *
 * kolla-log-ship's own output is not consulted: only the writer's truth and the server's documents count. Small in
 * `make test`, long in `make soak`. Failures: a missing line (lost), a line in two documents (duplicated), or a
 * document with missing or foreign lines (torn); each error has the event numbers and the end of the shipper's log.
 */
export { runFault, assertOnce, type Destination, type Fault, type Size, type Stage } from './run.ts';
export { headOf, judge, rowOf, type Row } from './row.ts';
export { linesOf } from './numbered.ts';
export { sinkDestination, type SinkDestination } from './sink.ts';
export { SERVER_FAULTS } from './server-faults.ts';
export { CONTROLS, DISK_FAULTS, KILL_FAULTS, PROCESS_FAULTS, WITHOUT_CHECKPOINT } from './process-faults.ts';
export { ROTATION_FAULTS } from './rotation-faults.ts';
export {
  dataStreamDestination,
  ELASTICSEARCH_FAULTS,
  elasticsearchDestination,
  ELASTICSEARCH_SETTINGS,
  FLOOD_STAGE,
  ROLLOVERS,
} from './elasticsearch-faults.ts';
export { allAtOnce, type Happened } from './all-at-once.ts';
export { OPTION_FAULTS } from './option-faults.ts';
