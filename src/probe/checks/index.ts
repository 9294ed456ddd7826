import type { Check, CheckSet } from '../ask/check.ts';
import { amqp } from './amqp.ts';
import { command } from './command.ts';
import { config } from './config.ts';
import { connected } from './connected.ts';
import { dbSync } from './db-sync.ts';
import { fileAge } from './file-age.ts';
import { galera } from './galera.ts';
import { grpc } from './grpc.ts';
import { http } from './http.ts';
import { listen } from './listen.ts';
import { logShip } from './log-ship.ts';
import { memcached } from './memcached.ts';
import { mysql } from './mysql.ts';
import { process } from './process.ts';
import { rabbitmq } from './rabbitmq.ts';
import { redis } from './redis.ts';
import { socket } from './socket.ts';
import { tcp } from './tcp.ts';
import { tls } from './tls.ts';

/** All checks in the order of help and docs. */
export const CHECKS: readonly Check[] = [
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
  tls,
  amqp,
  memcached,
  redis,
  rabbitmq,
  grpc,
  mysql,
  galera,
  dbSync,
];

export const ALL_CHECKS: CheckSet = { checks: CHECKS };
