import type { Helper } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { bootstrap } from '../bootstrap/index.ts';
import { setConfigsHelper } from '../config/set-configs/helper.ts';
import { dbSyncHelper } from '../migrate/index.ts';
import { init } from '../container/init/index.ts';
import { kollaStart } from '../container/init/kolla-start.ts';
import { kubernetesEntrypoint } from '../container/init/kubernetes-entrypoint.ts';
import { logShip } from '../sidecar/helpers/log-ship.ts';
import { probe } from '../probe/index.ts';
import { KOLLA_HELPERS } from '../probe/kolla/all.ts';
import { operator } from '../operator/index.ts';
import { sidecar } from '../sidecar/index.ts';
import { copyCacerts } from '../container/ca/copy-cacerts.ts';

/** The tables of all helpers in the order of a Pod's life. */
export const HELPERS: readonly Helper[] = [
  dbSyncHelper(() => Promise.resolve(ExitCode.bug)),
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
  operator,
];
