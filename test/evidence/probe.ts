import type { Capability } from './point.ts';
import { PROBE_CENSUS } from './probe-census.ts';
import { PROBE_LOCAL } from './probe-local.ts';
import { PROBE_NET } from './probe-net.ts';
import { PROBE_SERVE } from './probe-serve.ts';
import { PROBE_SHIMS } from './probe-shims.ts';

export const probe: Capability = {
  name: 'probe',
  title: 'Health that explains itself',
  points: [...PROBE_LOCAL, ...PROBE_NET, ...PROBE_SHIMS, ...PROBE_CENSUS, ...PROBE_SERVE],
};
