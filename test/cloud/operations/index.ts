import { identity, quotas } from './identity.ts';
import { imageData } from './image-data.ts';
import { networks } from './networks.ts';
import type { Operation } from './operation.ts';
import { podsReach } from './pods-reach.ts';
import { serverEvacuated } from './server-evacuated.ts';
import { serverLife } from './server-life.ts';
import { serverMoves } from './server-moves.ts';
import { signalledStack, stacks } from './stacks.ts';
import { volumeLife } from './volume-life.ts';

/** All operations, in the order in which a run performs them. */
export const OPERATIONS: readonly Operation[] = [
  podsReach,
  imageData,
  serverLife,
  volumeLife,
  serverMoves,
  networks,
  stacks,
  signalledStack,
  identity,
  quotas,
  serverEvacuated,
];
