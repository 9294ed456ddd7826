/** All kinds of dependencies in the order of help and docs. Each kind has one file, and one line here. */
import type { Kind } from '../dependency/dependency.ts';
import { any } from './any.ts';
import { container } from './container.ts';
import { daemonset } from './daemonset.ts';
import { dbSync } from './db-sync.ts';
import { deployment, statefulset } from './rollout.ts';
import { job } from './job.ts';
import { node } from './node.ts';
import { pod } from './pod.ts';
import { configmap, secret } from './presence.ts';
import { service } from './service.ts';
import { SERVER_KINDS } from './servers.ts';

/** Kinds that have their own prefix. */
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
  ...SERVER_KINDS,
];

/** Any other resource in the API. */
export const ANY = any;
