/** The kinds that need no API server. */
import type { Kind } from '../dependency/dependency.ts';
import { http, https } from './http.ts';
import { file, socket } from './path.ts';
import { amqp, amqps, memcached, mysql } from './server.ts';
import { tcp } from './tcp.ts';

export const SERVER_KINDS: readonly Kind[] = [tcp, http, https, mysql, amqp, amqps, memcached, file, socket];
