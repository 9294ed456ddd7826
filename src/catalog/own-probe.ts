import * as v from 'valibot';
import { ListOf, Text } from './own-words.ts';

/** How each container of a service is asked whether it is healthy. */
export const Probes = ListOf(
  v.strictObject({
    container: Text,
    declared: v.optional(Text),
    liveness: Text,
    readiness: Text,
    notes: v.optional(Text),
  }),
);

export const PROBE_KEYS = ['container', 'declared', 'liveness', 'readiness', 'notes'];
