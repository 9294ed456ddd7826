import { access, constants } from 'node:fs/promises';
import type { Capability } from '../../tools/capability.ts';

/**
 * The path of a local build of the original kubernetes-entrypoint. Tests cannot get it from a package registry: Go's
 * module proxy has no version of it.
 */
export const ORIGINAL = process.env['KUBERNETES_ENTRYPOINT_ORIGINAL'];

export const canRunOriginal: Capability = async () => {
  if (ORIGINAL === undefined) return 'KUBERNETES_ENTRYPOINT_ORIGINAL names no kubernetes-entrypoint to compare with';
  return await access(ORIGINAL, constants.X_OK).then(
    () => undefined,
    (error: Error) => `KUBERNETES_ENTRYPOINT_ORIGINAL: ${error.message}`,
  );
};
