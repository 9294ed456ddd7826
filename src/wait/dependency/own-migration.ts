import * as v from 'valibot';
import { ConfigError } from '../../core/errors.ts';
import { objectPath, podRef } from '../../kube/path.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ObjectDependency } from './dependency.ts';
import { fields, fits, listOf, listOfFields, objectOf, shaped, TEXT } from '../shape/shape.ts';
import type { Effects, Self } from './waiter.ts';

/** Timeout: the check is optional and must not delay the wait. */
const ASK_MS = 5000;
/** Phases that wait for the rollout of this Pod itself, so that no wait depends on them. */
const AFTER_ROLLOUT = new Set(['contract', 'online']);

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** The fields of our own Pod that this check needs. */
export interface StartingPod extends KubeObject {
  readonly spec?: { readonly initContainers?: readonly Container[] };
}

const WORDS = listOf(v.string());
const SHAPE = objectOf({
  spec: fields({
    initContainers: listOfFields({
      name: TEXT,
      restartPolicy: TEXT,
      command: WORDS,
      args: WORDS,
      env: listOfFields({ name: TEXT, value: TEXT }),
    }),
  }),
});

/**
 * Rejects a wait for a migration run by a later container of our own Pod, which starts only after we exit. If our
 * container or Pod is unknown, the wait continues.
 * @throws ConfigError naming both; the signal's reason
 */
export async function refuseOwnMigration(
  { text, name = '', namespace }: ObjectDependency,
  { podName, container }: Self,
  { kube }: Pick<Effects, 'kube'>,
  signal: AbortSignal,
): Promise<void> {
  if (container === undefined) return;
  const client = await kube();
  if (namespace !== undefined && namespace !== client.namespace) return;
  const until = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const path = objectPath(podRef(client.namespace, podName));
  const pod = await client.get<unknown>(path, { signal: until }).catch(() => undefined);
  signal.throwIfAborted();
  const later = fits(SHAPE, pod) ? laterMigrator(shaped(SHAPE, pod) as StartingPod, name, container) : undefined;
  if (later === undefined) return;
  throw new ConfigError(
    `wait '${text}': container ${later} of this Pod runs that migration, and starts only after this one ` +
      `(${container}) has exited: remove the wait, because ${later} itself delays the containers after it; ` +
      `or move ${later} before ${container}`,
  );
}

/**
 * The init container that runs the migration and cannot start before ours has exited.
 * @param migration the migration's name, as on its Lease
 * @param own our container
 */
export function laterMigrator({ spec = {} }: StartingPod, migration: string, own: string): string | undefined {
  const { initContainers = [] } = spec;
  const at = initContainers.findIndex(({ name }) => name === own);
  // A sidecar that is running does not block other containers.
  if (at === -1 || initContainers[at]?.restartPolicy === 'Always') return undefined;
  return initContainers.slice(at + 1).find((container) => makes(container, migration))?.name;
}

function makes({ command = [], args = [], env = [] }: Container, migration: string): boolean {
  const all = [...command, ...args].flatMap((word) => word.split(/\s+/));
  const at = all.findIndex((word) => /(^|\/)kolla-db-sync$/.test(word));
  if (at === -1) return false;
  const words = all.slice(at + 1);
  const option = (flag: string, variable: string) => {
    const i = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    if (i !== -1) return words[i]?.split('=')[1] ?? words[i + 1];
    return env.find(({ name }) => name === variable)?.value;
  };
  if (AFTER_ROLLOUT.has(option('--phase', 'KOLLA_DB_SYNC_PHASE') ?? '')) return false;
  const leaseName = option('--lease-name', 'KOLLA_DB_SYNC_LEASE_NAME');
  return leaseName === undefined ? words.includes(migration) : leaseName === migration;
}
