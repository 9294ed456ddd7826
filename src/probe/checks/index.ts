import type { Check } from '../check.ts';
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

/** Every check, in the order in which help and docs list them. */
export const CHECKS: readonly Check[] = [
  http,
  tcp,
  listen,
  connected,
  socket,
  process,
  fileAge,
  command,
  tls,
  mysql,
  galera,
  amqp,
  rabbitmq,
  memcached,
  redis,
  grpc,
  config,
  dbSync,
  logShip,
];
