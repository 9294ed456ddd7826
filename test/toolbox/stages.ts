/**
 * Setup for each example of the helpers' tables, so that it runs as printed: servers and files outside the repository
 * are replaced by local ones. Keyed by the example's line, one file per helper; an example without a setup fails the
 * test.
 */
import { BOOTSTRAP } from './stages/bootstrap.ts';
import { CONFIGMAPS } from './stages/configmaps.ts';
import { DB_SYNC } from './stages/db-sync.ts';
import { INIT } from './stages/init.ts';
import { KOLLA } from './stages/kolla.ts';
import { LOG_SHIP } from './stages/log-ship.ts';
import { LOG_SHIP_ASIDE } from './stages/log-ship-aside.ts';
import { OPERATOR } from './stages/operator.ts';
import { POD } from './stages/pod.ts';
import { PROBE_LOCAL } from './stages/probe-local.ts';
import { PROBE } from './stages/probe.ts';
import { PROBE_NET } from './stages/probe-net.ts';
import { PROBE_SERVE } from './stages/probe-serve.ts';
import { HEALTHCHECKS } from './stages/healthchecks.ts';
import { SIDECAR } from './stages/sidecar.ts';
import type { Stages } from './stages/stage.ts';

export const STAGES: Stages = {
  ...POD,
  ...CONFIGMAPS,
  ...PROBE,
  ...PROBE_LOCAL,
  ...PROBE_NET,
  ...PROBE_SERVE,
  ...HEALTHCHECKS,
  ...KOLLA,
  ...INIT,
  ...DB_SYNC,
  ...BOOTSTRAP,
  ...LOG_SHIP,
  ...LOG_SHIP_ASIDE,
  ...SIDECAR,
  ...OPERATOR,
};
