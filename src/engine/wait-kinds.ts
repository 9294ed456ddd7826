/**
 * Replaces src/wait/kinds/index.ts in kolla-core: kinds without TLS and clients. For other kinds kolla-pod has taken
 * over before.
 */
import type { Kind } from '../wait/dependency/dependency.ts';
import { http } from '../wait/kinds/http.ts';
import { file, socket } from '../wait/kinds/path.ts';
import { tcp } from '../wait/kinds/tcp.ts';

export const KINDS: readonly Kind[] = [tcp, http, file, socket];

/** kolla-core has no waits for API objects. */
export const ANY = undefined;
