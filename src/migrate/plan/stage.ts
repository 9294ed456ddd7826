/** Stage of a migration, as the probes of a sidecar report it. */
export type Stage =
  | 'waiting for the server'
  | 'waiting for the rollout'
  | 'waiting for the lock'
  | 'migrating'
  | 'ok'
  | 'failed';

/** Called when a stage starts. */
export type OnStage = (stage: Stage) => void;
