import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './api.ts';

export interface ClaimVolume {
  readonly namespace: string;
  /** The name of the PersistentVolumeClaim. */
  readonly claim: string;
  /** The owner of the directory. */
  readonly uid: number;
  readonly storageClass: string;
}

/** A directory on this machine for a claim, because there is no volume provisioner. */
export async function makeClaimVolume(
  { kubectl }: Pick<Cluster, 'kubectl'>,
  directory: string,
  { namespace, claim, uid, storageClass }: ClaimVolume,
): Promise<void> {
  const name = `${namespace}-${claim}`;
  const path = join(directory, name);
  await mkdir(path, { mode: 0o750 });
  await chown(path, uid, uid);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '100Gi' },
      // The directory of one node, whose Pods may share it.
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      storageClassName: storageClass,
      hostPath: { path },
      claimRef: { namespace, name: claim },
    },
  };
  await kubectl(['apply', '--filename=-'], JSON.stringify(volume));
}
