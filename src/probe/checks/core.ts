import type { Check } from '../ask/check.ts';
import { command } from './command.ts';
import { config } from './config.ts';
import { connected } from './connected.ts';
import { fileAge } from './file-age.ts';
import { http } from './http.ts';
import { listen } from './listen.ts';
import { logShip } from './log-ship.ts';
import { process } from './process.ts';
import { socket } from './socket.ts';
import { tcp } from './tcp.ts';

/** The checks without TLS and login, which kolla-core has too, in the order of help and docs. */
export const CORE_CHECKS: readonly Check[] = [
  http,
  tcp,
  listen,
  connected,
  socket,
  process,
  fileAge,
  command,
  config,
  logShip,
];

/** The names of all other checks. */
export const POD_CHECKS: readonly string[] = [
  'tls',
  'mysql',
  'galera',
  'amqp',
  'rabbitmq',
  'memcached',
  'redis',
  'grpc',
  'db-sync',
];
