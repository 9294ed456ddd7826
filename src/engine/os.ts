import { SIGNAL_NAMES, type SignalName } from './signals.ts';

/** The one table of `node:os` that our code reads. */
export const constants = {
  signals: Object.fromEntries(SIGNAL_NAMES.map((name, i) => [name, i + 1])) as Readonly<Record<SignalName, number>>,
};
