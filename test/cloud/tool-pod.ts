import { REGISTRY } from './images.ts';
import { CONTROL_NODE } from './stage.ts';

const KEYSTONE_UID = 42_425;

interface Additions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sources of volumes, by the path of the mount. */
  readonly volumes?: Readonly<Record<string, object>>;
}

/** A Pod with OpenStack's client and tools that belongs to no service. Its command is not restarted. */
export function toolPod(
  release: string,
  name: string,
  command: readonly string[],
  { env = {}, volumes = {} }: Additions = {},
): object {
  const sources = Object.entries(volumes).map(([mountPath, source], index) => ({
    name: `v${index}`,
    mountPath,
    source,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      restartPolicy: 'Never',
      nodeName: CONTROL_NODE,
      securityContext: {
        runAsUser: KEYSTONE_UID,
        runAsNonRoot: true,
        fsGroup: KEYSTONE_UID,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name,
          image: `${REGISTRY}/keystone:${release}`,
          command,
          env: Object.entries({ HOME: '/tmp', ...env }).map(([key, value]) => ({ name: key, value })),
          workingDir: '/tmp',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: sources.map(({ name: volume, mountPath }) => ({ name: volume, mountPath, readOnly: true })),
        },
      ],
      volumes: sources.map(({ name: volume, source }) => ({ name: volume, ...source })),
    },
  };
}
