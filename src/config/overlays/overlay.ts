import { normalize } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { isCredential } from '../../core/credential.ts';

/** The usual downward API variables of a Deployment, and those in every container. */
export const DEFAULT_ALLOWED = ['HOSTNAME', 'HOST_IP', 'NODE_NAME', 'POD_IP', 'POD_NAME', 'POD_NAMESPACE'] as const;

/** Per-Pod values in files shared by all Pods. */
export interface Overlay {
  /** Each changed file by its dest in config.json, with its place in kolla-pod.yaml. */
  readonly files: ReadonlyMap<string, string>;
  /** Variables used by `apply` so far, by file. */
  readonly used: ReadonlyMap<string, readonly string[]>;
  /** Files with passwords from Secrets. */
  readonly passwordFiles: ReadonlySet<string>;
  /** Mount points of these Secrets. */
  readonly sources: readonly string[];
  /** The passwords, and the values of names that look like credentials, used so far: they may not be shown. */
  readonly secrets: readonly string[];
  /**
   * The content of the file at `dest` (as in config.json) for that content of its source.
   * @throws RangeError with the place in kolla-pod.yaml and the reason
   */
  apply(dest: string, content: Buffer): Buffer;
}

/** Whether a file contains a password, or a value of a name that looks like a credential; so may its previous content. */
export function holdsSecret(overlay: Overlay | undefined, dest: string): boolean {
  const path = normalPath(dest);
  return overlay?.passwordFiles.has(path) === true || overlay?.used.get(path)?.some(isCredential) === true;
}

/** Canonical form of a path: `/etc//nova/./nova.conf` is `/etc/nova/nova.conf`. */
export function normalPath(path: string): string {
  return normalize(path);
}

/** Whether the file is, or would be in, the destination. */
export function isBelow(file: string, dest: string): boolean {
  return isWithin(normalPath(dest).replace(/(?<=.)\/$/, ''), file);
}
