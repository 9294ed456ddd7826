/** src/wait/kinds/index.ts in kolla-core: kinds without TLS and clients. kolla-pod has taken over before for others. */
import type { Kind } from '../wait/dependency.ts';
import { http } from '../wait/kinds/http.ts';
import { file, socket } from '../wait/kinds/path.ts';
import { tcp } from '../wait/kinds/tcp.ts';

export const KINDS: readonly Kind[] = [tcp, http, file, socket];

/** API objects are not supported. */
export const ANY = undefined;
