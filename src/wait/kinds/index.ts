/**
 * Every kind of dependency, in the order in which help and docs show them: one file a kind, and one line here.
 */
import type { Kind } from '../dependency.ts';
import { amqp, memcached, mysql } from './server.ts';
import { any } from './any.ts';
import { container } from './container.ts';
import { daemonset } from './daemonset.ts';
import { dbSync } from './db-sync.ts';
import { deployment, statefulset } from './rollout.ts';
import { file, socket } from './path.ts';
import { http, https } from './http.ts';
import { job } from './job.ts';
import { node } from './node.ts';
import { pod } from './pod.ts';
import { configmap, secret } from './presence.ts';
import { service } from './service.ts';
import { tcp } from './tcp.ts';

/** Those that a word of their own begins. */
export const KINDS: readonly Kind[] = [
  job,
  dbSync,
  service,
  pod,
  container,
  deployment,
  statefulset,
  daemonset,
  node,
  configmap,
  secret,
  tcp,
  http,
  https,
  mysql,
  amqp,
  memcached,
  file,
  socket,
];

/** Every other resource that the API server has. */
export const ANY = any;
