import { defined } from '../../core/defined.ts';
import { CONFIG_DIR } from '../read/config-dir.ts';
import { INIT_ROOT, TREE_VOLUME, type Layout, type PlannedMount } from './layout.ts';
import { KOLLA_GID } from '../../catalog/kolla-users.ts';
import type { PodUser } from './user.ts';

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: true;
}

export type Volume = { readonly name: string } & (
  | { readonly projected: { readonly sources: readonly { readonly configMap: { readonly name: string } }[] } }
  | { readonly emptyDir: { readonly medium?: 'Memory'; readonly sizeLimit?: string } }
);

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly securityContext: typeof RESTRICTED;
  readonly volumeMounts: readonly VolumeMount[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  readonly value?: string;
}

/** The part of a Pod's spec that goes into a Deployment's template. */
export interface PodSpec {
  readonly securityContext: {
    readonly runAsNonRoot: true;
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly fsGroup: number;
    readonly supplementalGroups?: readonly number[];
    readonly seccompProfile: { readonly type: 'RuntimeDefault' };
  };
  readonly volumes: readonly Volume[];
  readonly initContainers: readonly [Container];
  readonly containers: readonly [Container];
}

/** Settings required by the `restricted` Pod Security Standard, plus a read-only root filesystem. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} as const;

/** Downward API fields for names in overlays. HOSTNAME is set in every container. */
const FIELDS: Readonly<Record<string, string>> = {
  HOST_IP: 'status.hostIP',
  NODE_NAME: 'spec.nodeName',
  POD_IP: 'status.podIP',
  POD_NAME: 'metadata.name',
  POD_NAMESPACE: 'metadata.namespace',
  POD_SERVICE_ACCOUNT: 'spec.serviceAccountName',
  POD_UID: 'metadata.uid',
};

export interface SpecParts {
  readonly user: PodUser;
  readonly layout: Layout;
  /** Size limit of the in-memory volume. */
  readonly limit: string;
  readonly name: string | undefined;
  readonly initArguments: readonly string[];
  readonly environment: readonly string[];
}

/** The spec for a layout. `image` is left as a placeholder, as are the volumes of logs and data. */
export function podSpec({ user, layout, limit, name, initArguments, environment }: SpecParts): PodSpec {
  const { uid, gid, supplementalGroups: others } = user;
  const service = name ?? user.name ?? 'service';
  const env = environment.filter((variable) => variable !== 'HOSTNAME').map(variableOf);
  return {
    securityContext: {
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: gid,
      fsGroup: KOLLA_GID,
      ...(others.length > 0 && { supplementalGroups: others }),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumes: volumesOf(layout.places, service, limit),
    initContainers: [
      {
        name: 'kolla-init',
        image: 'IMAGE',
        command: ['kolla-init', '--root', INIT_ROOT, ...initArguments],
        ...(env.length > 0 && { env }),
        securityContext: RESTRICTED,
        volumeMounts: initMounts(layout),
      },
    ],
    containers: [
      {
        name: service,
        image: 'IMAGE',
        // The entry point of the image is kept: dumb-init, for signals, zombies and limits.
        args: ['kolla_start'],
        securityContext: RESTRICTED,
        volumeMounts: layout.places.map(serviceMount),
      },
    ],
  };
}

function volumesOf(places: readonly PlannedMount[], name: string, sizeLimit: string): Volume[] {
  const own = places.filter(({ volume }) => volume !== TREE_VOLUME).map(({ volume }) => volume);
  return [
    { name: 'config-files', projected: { sources: [{ configMap: { name } }] } },
    // Passwords in this volume must not be stored on a node's disk.
    { name: TREE_VOLUME, emptyDir: { medium: 'Memory', sizeLimit } },
    ...own.map((volume) => ({ name: volume, emptyDir: {} })),
  ];
}

function initMounts({ places, covers }: Layout): VolumeMount[] {
  const tree = covers.map((path) => ({ name: TREE_VOLUME, path, subPath: path.slice(1) }));
  const own = places
    .filter(({ volume, purpose }) => volume !== TREE_VOLUME && purpose !== 'temporary')
    .map(({ volume, path }) => ({ name: volume, path, subPath: '' }));
  // The kubelet creates subPaths in this order, and each must exist before its content.
  const sorted = [...tree, ...own].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [
    { name: 'config-files', mountPath: CONFIG_DIR, readOnly: true },
    ...sorted.map(({ name, path, subPath }) => ({
      name,
      mountPath: `${INIT_ROOT}${path === '/' ? '' : path}`,
      ...(subPath !== '' && { subPath }),
    })),
  ];
}

function serviceMount({ volume, path, subPath, purpose }: PlannedMount): VolumeMount {
  return {
    name: volume,
    mountPath: path,
    ...defined({ subPath }),
    ...(purpose === 'run' && { readOnly: true }),
  };
}

function variableOf(name: string): EnvironmentVariable {
  const fieldPath = FIELDS[name];
  return fieldPath === undefined ? { name, value: 'VALUE' } : { name, valueFrom: { fieldRef: { fieldPath } } };
}
