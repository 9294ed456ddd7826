import { normalize } from 'node:path';
import { isWithin } from '../../fs/within.ts';
import { isCredential } from '../../core/credential.ts';

/** The usual downward API variables of a Deployment, and variables that exist in every container. */
export const DEFAULT_ALLOWED = ['HOSTNAME', 'HOST_IP', 'NODE_NAME', 'POD_IP', 'POD_NAME', 'POD_NAMESPACE'] as const;

/** Per-Pod values in files shared by all Pods. */
export interface Overlay {
  /** The changed files by their `dest` in config.json, with their locations in kolla-pod.yaml. */
  readonly files: ReadonlyMap<string, string>;
  /** Variables that `apply` has used so far, by file. */
  readonly used: ReadonlyMap<string, readonly string[]>;
  /** Files with passwords from Secrets. */
  readonly passwordFiles: ReadonlySet<string>;
  /** The mounted files that contain the passwords. */
  readonly sources: readonly string[];
  /** Passwords, and values of names that look like credentials, that were used so far. They must not be shown. */
  readonly secrets: readonly string[];
  /**
   * The content to install at `dest` (as in config.json) for this content of the source.
   * @throws RangeError with the place in kolla-pod.yaml and the reason
   */
  apply(dest: string, content: Buffer): Buffer;
}

/**
 * Whether a file contains a password, or a value of a name that looks like a credential. Its previous content may then
 * contain one too.
 */
export function holdsSecret(overlay: Overlay | undefined, dest: string): boolean {
  const path = normalize(dest);
  return overlay?.passwordFiles.has(path) === true || overlay?.used.get(path)?.some(isCredential) === true;
}

/** Whether the file's path is the destination or below it. */
export function isBelow(file: string, dest: string): boolean {
  return isWithin(normalize(dest).replace(/(?<=.)\/$/, ''), file);
}
