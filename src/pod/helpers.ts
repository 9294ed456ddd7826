import type { Helper } from '../cli/command.ts';
import { bootstrap } from '../job/index.ts';
import { setConfigsHelper } from '../config/set-configs/helper.ts';
import { dbSync } from '../dbsync/index.ts';
import { init } from '../init/index.ts';
import { kollaStart } from '../init/kolla-start.ts';
import { kubernetesEntrypoint } from '../init/kubernetes-entrypoint.ts';
import { logShip } from '../logship/index.ts';
import { probe } from '../probe/index.ts';
import { KOLLA_HELPERS } from '../probe/kolla/all.ts';
import { sidecar } from '../sidecar/index.ts';
import { copyCacerts } from '../start/copy-cacerts.ts';

/** The tables of all helpers, in the order in which a pod's life meets them. */
export const HELPERS: readonly Helper[] = [
  dbSync,
  bootstrap,
  init,
  kubernetesEntrypoint,
  kollaStart,
  setConfigsHelper,
  copyCacerts,
  probe,
  ...KOLLA_HELPERS,
  logShip,
  sidecar,
];
