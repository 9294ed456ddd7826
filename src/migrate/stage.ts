/** Stage of a migration, as reported by a sidecar's probes. */
type Stage =
  | 'waiting for the server'
  | 'waiting for the rollout'
  | 'waiting for the lock'
  | 'migrating'
  | 'ok'
  | 'failed';

/** Called at the start of each stage. */
export type OnStage = (stage: Stage) => void;
