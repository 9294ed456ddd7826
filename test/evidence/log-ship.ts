import { LOG_SHIP_ASIDE } from './log-ship-aside.ts';
import { LOG_SHIP_BENCH } from './log-ship-bench.ts';
import { LOG_SHIP_EVENTS } from './log-ship-events.ts';
import { LOG_SHIP_FAULTS } from './log-ship-faults.ts';
import { LOG_SHIP_SERVERS } from './log-ship-servers.ts';
import { LOG_SHIP_SINK } from './log-ship-sink.ts';
import { LOG_SHIP_TAIL } from './log-ship-tail.ts';
import type { Capability } from './point.ts';

export const logShip: Capability = {
  name: 'log-ship',
  title: 'Every line once',
  points: [
    ...LOG_SHIP_TAIL,
    ...LOG_SHIP_EVENTS,
    ...LOG_SHIP_SINK,
    ...LOG_SHIP_FAULTS,
    ...LOG_SHIP_SERVERS,
    ...LOG_SHIP_ASIDE,
    ...LOG_SHIP_BENCH,
  ],
};
