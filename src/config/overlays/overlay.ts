import { normalize } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { isCredential } from '../../core/credential.ts';

/** What a Deployment usually gives its pods by the downward API, and what every container has. */
export const DEFAULT_ALLOWED = ['HOSTNAME', 'HOST_IP', 'NODE_NAME', 'POD_IP', 'POD_NAME', 'POD_NAMESPACE'] as const;

/** This pod's own values in files that all pods share. */
export interface Overlay {
  /** Each file that it changes, as config.json writes its dest, and where kolla-pod.yaml asks for it. */
  readonly files: ReadonlyMap<string, string>;
  /** What `apply` has used so far: each file's names of the environment. */
  readonly used: ReadonlyMap<string, readonly string[]>;
  /** Those with passwords of Secrets. */
  readonly passwordFiles: ReadonlySet<string>;
  /** Where these are mounted. */
  readonly sources: readonly string[];
  /** The passwords, and the values of names that look like credentials, used so far: they may not be shown. */
  readonly secrets: readonly string[];
  /**
   * What shall be in the file at `dest` (as config.json writes it) when that is its source's content.
   * @throws RangeError with the place in kolla-pod.yaml and the reason
   */
  apply(dest: string, content: Buffer): Buffer;
}

/** Whether a file got a password, or a value of a name that looks like a credential: the one before, too, is in it then. */
export function holdsSecret(overlay: Overlay | undefined, dest: string): boolean {
  const path = normalPath(dest);
  return overlay?.passwordFiles.has(path) === true || overlay?.used.get(path)?.some(isCredential) === true;
}

/** One spelling a path: `/etc//nova/./nova.conf` is `/etc/nova/nova.conf`. */
export function normalPath(path: string): string {
  return normalize(path);
}

/** Whether the file is what config.json's dest names, or would lie in it. */
export function isBelow(file: string, dest: string): boolean {
  return isWithin(normalPath(dest).replace(/(?<=.)\/$/, ''), file);
}
