import type { Size } from './run.ts';

/** What `make test` runs of each fault; `make soak` runs more. */
export const SAMPLE: Size = { events: 20_000, kills: 10, outageMs: 5000, seed: 1 };
