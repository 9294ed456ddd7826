import { access, constants } from 'node:fs/promises';
import type { Capability } from '../../tools/capability.ts';

/**
 * The original, which is in no package registry usable by tests: Go's module proxy has no version of it. Set to the
 * path of a local build.
 */
export const ORIGINAL = process.env['KUBERNETES_ENTRYPOINT_ORIGINAL'];

export const canRunOriginal: Capability = async () => {
  if (ORIGINAL === undefined) return 'KUBERNETES_ENTRYPOINT_ORIGINAL names no kubernetes-entrypoint to compare with';
  return await access(ORIGINAL, constants.X_OK).then(
    () => undefined,
    (error: Error) => `KUBERNETES_ENTRYPOINT_ORIGINAL: ${error.message}`,
  );
};
