/** Where a migration stands, in the words that a sidecar's probes answer. */
type Stage =
  | 'waiting for the server'
  | 'waiting for the rollout'
  | 'waiting for the lock'
  | 'migrating'
  | 'ok'
  | 'failed';

/** Is told each stage as it begins. */
export type OnStage = (stage: Stage) => void;
