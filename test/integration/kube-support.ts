import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  TIMING,
  type CredentialSource,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  type SetRef,
  type Timing,
} from '../../src/kube/index.ts';
import { startControlPlane, type Cluster, type ControlPlane } from '../cluster/kubernetes/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { until } from '../support/until.ts';

export const NAMESPACE = 'openstack';
export const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: NAMESPACE } as const;

/**
 * Times in milliseconds where a cluster takes seconds. Only tests with a frozen server shorten the time for a response,
 * which a busy machine needs.
 */
export const QUICK: Timing = { ...TIMING, pollMs: 200, backoff: { minMs: 50, maxMs: 500 } };

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A watch that is running. */
export interface Following extends AsyncDisposable {
  /** Observations: `x=1`, `absent`, `trouble: ...`; for a set its names. */
  readonly seen: string[];
  readonly warnings: string[];
  /** Rejects with the error of the watch. */
  until(what: string, holds: (seen: readonly string[]) => boolean): Promise<void>;
}

/** Watches a ConfigMap and reports the value of its key x. */
export function follow(client: KubeClient, name: string): Following {
  const ref: ObjectRef = { ...MAPS, name };
  return following(async (seen, options) => {
    for await (const observation of client.watch<ConfigMap>(ref, options)) {
      if (observation.kind === 'object') seen.push(`x=${observation.object.data?.['x']}`);
      else seen.push(observation.kind === 'trouble' ? `trouble: ${observation.reason}` : observation.kind);
    }
  });
}

/** Watches a set and reports its names, or their number if there are more than ten. */
export function followSet(client: KubeClient, ref: SetRef = MAPS): Following {
  return following(async (seen, options) => {
    for await (const observation of client.watchSet(ref, options)) {
      if (observation.kind === 'trouble') seen.push(`trouble: ${observation.reason}`);
      else if (observation.kind === 'connected') seen.push('connected');
      else seen.push(observation.objects.size > 10 ? `${observation.objects.size}` : names(observation.objects));
    }
  });
}

function names(objects: ReadonlyMap<string, KubeObject>): string {
  return [...objects.keys()].filter((name) => name !== 'kube-root-ca.crt').join(' ');
}

type Run = (
  seen: string[],
  options: { readonly signal: AbortSignal; readonly warn: (message: string) => void },
) => Promise<void>;

function following(run: Run): Following {
  const [seen, warnings]: string[][] = [[], []];
  const stop = new AbortController();
  let failure: unknown;
  const ended = run(seen!, { signal: stop.signal, warn: (message) => warnings!.push(message) }).catch(
    (error: unknown) => {
      if (!stop.signal.aborted) failure = error;
    },
  );
  return {
    seen: seen!,
    warnings: warnings!,
    until: async (what, holds) => {
      await until(what, (saw) => {
        if (failure !== undefined) throw failure;
        saw(seen!.slice(-5));
        return holds(seen!) || undefined;
      });
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** The directory of a mounted ServiceAccount, and its API server. */
export interface Account extends AsyncDisposable {
  readonly source: Extract<CredentialSource, { kind: 'in-cluster' }>;
  write(file: 'token' | 'ca.crt', text: string): Promise<void>;
}

/** Mounts it as the kubelet does. @param at the API server's port on 127.0.0.1, and the CA to trust */
export async function account(at: { readonly port: number; readonly ca: string }, token: string): Promise<Account> {
  const directory = await privateDirectory('account');
  const write = (file: string, text: string) => writeFile(join(directory.path, file), text);
  await write('token', token);
  await write('ca.crt', at.ca);
  await write('namespace', NAMESPACE);
  return {
    source: { kind: 'in-cluster', host: '127.0.0.1', port: String(at.port), directory: directory.path },
    write,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** A control plane with the namespace, and the token of a ServiceAccount that may read its ConfigMaps. */
export async function startWithReader(): Promise<{ readonly cluster: ControlPlane; readonly token: string }> {
  const cluster = await startControlPlane();
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  return { cluster, token: await serviceAccount(cluster, 'reader', 'get,list,watch') };
}

/** Whether this value is the last one. */
export function last(value: string): (seen: readonly string[]) => boolean {
  return (seen) => seen.at(-1) === value;
}

/** A ServiceAccount with these verbs on ConfigMaps, and a token for it. */
export async function serviceAccount(cluster: Cluster, name: string, verbs: string): Promise<string> {
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);
  await kubectl('create', 'serviceaccount', name);
  await kubectl('create', 'role', name, `--verb=${verbs}`, '--resource=configmaps');
  await kubectl('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${NAMESPACE}:${name}`);
  return (await kubectl('create', 'token', name, '--duration=1h')).trim();
}

/** The faults of API access and their results, printed at the end of the suite. */
export class Table {
  readonly #title: string;
  readonly #rows: (readonly [string, string])[] = [];

  constructor(title: string) {
    this.#title = title;
  }

  add(fault: string, held: string): void {
    this.#rows.push([fault, held]);
  }

  print(): void {
    const width = Math.max(...this.#rows.map(([fault]) => fault.length));
    const lines = this.#rows.map(([fault, held]) => `  ${fault.padEnd(width)}  ${held}`);
    console.log(`${this.#title}\n${lines.join('\n')}`);
  }
}
