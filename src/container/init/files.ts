/**
 * What kolla-init and its check, plan and watch share: what they read config.json with, and the CA certificates that a
 * deployment brings beside it.
 */
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Context } from '../../cli/command.ts';
import type { Values } from '../../cli/option.ts';
import type { FILE_OPTIONS } from './options.ts';
import type { PodFile } from '../../cli/file.ts';
import type { Overlay } from '../../config/overlays/index.ts';
import { UsageError } from '../../core/errors.ts';
import type { Identity, ConfigOptions } from '../../config/index.ts';
import type { Log } from '../../core/log.ts';
import { bringsCaCertificates, checkCaStore, checkCertificates, prepareCaStore } from '../start/index.ts';

/**
 * The values of this pod that kolla-pod.yaml sets in its files. The same for all that read config.json: apply, check, plan and
 * watch. Undefined without such a section.
 * @param podFile the context's
 * @param inherited the context's: our caller's environment
 * @param configDir where passwords may be mounted
 * @throws ConfigError with every problem and its place
 */
async function overlayFrom(
  podFile: PodFile | undefined,
  inherited: NodeJS.ProcessEnv,
  configDir: string,
): Promise<Overlay | undefined> {
  const section = podFile?.sectionOf('overlays');
  if (podFile === undefined || section === undefined) return undefined;
  const { makeOverlay } = await import('../../config/overlays/index.ts');
  return makeOverlay(podFile.file, section, inherited, configDir);
}

/**
 * The names of the environment that kolla-pod.yaml's overlays may need, without looking at their values: for a Pod spec.
 * @throws ConfigError with every problem and its place
 */
export async function namesForOverlays(podFile: PodFile | undefined): Promise<readonly string[]> {
  const section = podFile?.sectionOf('overlays');
  if (podFile === undefined || section === undefined) return [];
  const { overlayNames } = await import('../../config/overlays/index.ts');
  return overlayNames(podFile.file, section);
}

/** The ids that files are written and owners satisfied with. Throws UsageError where there are none (not Linux). */
function whoAmI(): Identity {
  if (!process.geteuid || !process.getegid || !process.getgroups) throw new UsageError('kolla-init needs Linux');
  return { uid: process.geteuid(), gid: process.getegid(), groups: process.getgroups() };
}

/** Where kolla-init works. */
interface Place {
  readonly root: string;
  readonly configDir: string;
}

/** The part of ConfigOptions that all commands have in common. @throws as overlayFrom() and whoAmI() do */
export async function configOptions(
  { configDir, configJson, root }: Values<typeof FILE_OPTIONS>,
  { podFile, inherited }: Pick<Context, 'podFile' | 'inherited'>,
): Promise<ConfigOptions & { readonly overlay: Overlay | undefined }> {
  const overlay = await overlayFrom(podFile, inherited, configDir);
  return { configDir, configFile: configJson, root, me: whoAmI(), overlay };
}

/** For ConfigOptions.validate: certificates that could not be prepared keep the files of their version away, too. */
export function certificateCheck({ root, configDir }: Place): ConfigOptions['validate'] {
  return root === '/' ? undefined : () => checkCertificates(configDir, '/');
}

/** The same, and that the store can be written: for a run that writes. */
export function certificateCheckToWrite({ root, configDir }: Place): ConfigOptions['validate'] {
  if (root === '/') return undefined;
  return (sources) => {
    checkCertificates(configDir, '/');
    checkCaStore({ image: '/', root, configDir, asked: bringsCaCertificates(sources) });
  };
}

/**
 * The CA store of a container without root, in a volume below `root`, where the deployment brings certificates. At `/` itself
 * the store is the image's: kolla_start changes it as root, and otherwise no process can, which is logged.
 * @param sources of config.json's entries
 */
export function prepareCertificates(
  { root, configDir }: Place,
  sources: readonly string[],
  { signal, log }: { signal: AbortSignal; log: Log },
): void {
  const asked = bringsCaCertificates(sources);
  if (root !== '/') {
    prepareCaStore({ image: '/', root, configDir, asked, signal, log });
    return;
  }
  const directory = join(configDir, 'ca-certificates');
  if (process.geteuid?.() !== 0 && existsSync(directory))
    log.warn(
      `the certificates in ${directory} are not added: give --root a volume, and mount its CA store in the service`,
    );
}
