import type { Check, CheckSet } from '../ask/check.ts';
import { amqp } from './amqp.ts';
import { CORE_CHECKS } from './core.ts';
import { dbSync } from './db-sync.ts';
import { galera } from './galera.ts';
import { grpc } from './grpc.ts';
import { memcached } from './memcached.ts';
import { mysql } from './mysql.ts';
import { rabbitmq } from './rabbitmq.ts';
import { redis } from './redis.ts';
import { tls } from './tls.ts';

/** All checks in the order of help and docs. */
export const CHECKS: readonly Check[] = [
  ...CORE_CHECKS,
  tls,
  mysql,
  galera,
  amqp,
  rabbitmq,
  memcached,
  redis,
  grpc,
  dbSync,
];

export const ALL_CHECKS: CheckSet = { checks: CHECKS, elsewhere: [], refusal: () => undefined };
