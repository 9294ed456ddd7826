import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { structuredPatch } from 'diff';
import type { loadAll } from 'js-yaml';
import type { createConnection } from 'mysql2/promise';

interface Exports {
  readonly '@kubernetes/client-node/dist/config.js': { readonly KubeConfig: typeof KubeConfig };
  readonly diff: { readonly structuredPatch: typeof structuredPatch };
  readonly 'js-yaml': { readonly loadAll: typeof loadAll };
  readonly 'mysql2/promise': { readonly createConnection: typeof createConnection };
}

const REFUSED = { host: '127.0.0.1', port: 1 };

/** Typical first calls of a library. Nothing leaves the process: port 1 refuses. */
const USUAL_WORK: Readonly<Record<string, (library: Exports) => unknown>> = {
  diff: (library) => library.diff.structuredPatch('a', 'b', 'one\ntwo\n', 'one\n2\n'),
  'js-yaml': (library) => library['js-yaml'].loadAll('a: [1, "b"]\nc: {d: true}\ne: |\n  f\n---\n- g\n'),
  async 'kube-config'(library) {
    const config = new library['@kubernetes/client-node/dist/config.js'].KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'c', server: 'https://127.0.0.1:1', skipTLSVerify: false }],
      users: [{ name: 'u', token: 't' }],
      contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
      currentContext: 'x',
    });
    await config.applyToHTTPSOptions({});
  },
  mysql2: (library) => library['mysql2/promise'].createConnection(REFUSED).catch(() => {}),
};

/** Exercises a library's typical use, so that its code is in the code cache. */
export async function rehearseLibrary(name: string, library: Readonly<Record<string, unknown>>): Promise<void> {
  await USUAL_WORK[name]?.(library as unknown as Exports);
}
