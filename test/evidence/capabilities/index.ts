import type { Capability } from '../row.ts';
import { bootstrap } from './bootstrap.ts';
import { charts } from './charts.ts';
import { dbSync } from './db-sync.ts';
import { images } from './images.ts';
import { kollaContract } from './kolla-contract.ts';
import { logShip } from './log-ship.ts';
import { operator } from './operator.ts';
import { podLife } from './pod-life.ts';
import { probe } from './probe.ts';
import { release } from './release.ts';
import { sidecar } from './sidecar.ts';
import { waits } from './waits.ts';

/** All documented capabilities, one page each. */
export const CAPABILITIES: readonly Capability[] = [
  podLife,
  kollaContract,
  waits,
  dbSync,
  bootstrap,
  probe,
  logShip,
  sidecar,
  images,
  release,
  charts,
  operator,
];
