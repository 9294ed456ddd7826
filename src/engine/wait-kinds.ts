/** src/wait/kinds/index.ts in kolla-core: what needs neither TLS nor a client. Whoever waits for more has become kolla-pod before. */
import type { Kind } from '../wait/dependency.ts';
import { http } from '../wait/kinds/http.ts';
import { file, socket } from '../wait/kinds/path.ts';
import { tcp } from '../wait/kinds/tcp.ts';

export const KINDS: readonly Kind[] = [tcp, http, file, socket];

/** Objects of the API are none. */
export const ANY = undefined;
