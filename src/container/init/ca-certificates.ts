import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Log } from '../../core/log.ts';
import type { ConfigOptions } from '../../config/index.ts';
import { bringsCaCertificates, checkCaStore, checkCertificates, prepareCaStore } from '../start/index.ts';

/** Where kolla-init works. */
interface Place {
  readonly root: string;
  readonly configDir: string;
}

/** For ConfigOptions.validate: certificates that could not be prepared keep the files of their version away, too. */
export function certificateCheck({ root, configDir }: Place): ConfigOptions['validate'] {
  return root === '/' ? undefined : () => checkCertificates(configDir, '/');
}

/** The same, and that the store can be written: for a run that writes. */
export function certificateCheckToWrite({ root, configDir }: Place): ConfigOptions['validate'] {
  if (root === '/') return undefined;
  return async (sources) => {
    await checkCertificates(configDir, '/');
    await checkCaStore({ image: '/', root, configDir, asked: bringsCaCertificates(sources) });
  };
}

/**
 * The CA store of a container without root, in a volume below `root`, where the deployment brings certificates. At `/` itself
 * the store is the image's: kolla_start changes it as root, and else nobody can, which is said.
 * @param sources of config.json's entries
 */
export async function prepareCertificates(
  { root, configDir }: Place,
  sources: readonly string[],
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<void> {
  const asked = bringsCaCertificates(sources);
  if (root !== '/') {
    await prepareCaStore({ image: '/', root, configDir, asked, signal, log });
    return;
  }
  const folder = join(configDir, 'ca-certificates');
  if (process.geteuid?.() !== 0 && existsSync(folder))
    log.warn(
      `the certificates in ${folder} are not added: give --root a volume, and mount its CA store in the service`,
    );
}
