import type { Size } from './run.ts';

/** The size of each fault in `make test`. `make soak` runs larger ones. */
export const SAMPLE: Size = { events: 20_000, kills: 10, outageMs: 5000, seed: 1 };
