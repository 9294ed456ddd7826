/** Shared by kolla-init and its check, plan and watch: reading config.json, and the CA certificates next to it. */
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Context } from '../../cli/command.ts';
import type { Values } from '../../cli/option.ts';
import type { FILE_OPTIONS } from './options.ts';
import type { PodFile } from '../../cli/file.ts';
import type { Overlay } from '../../config/overlays/index.ts';
import { UsageError } from '../../core/errors.ts';
import { CONFIG_DIR, type Identity, type ConfigOptions } from '../../config/index.ts';
import type { Log } from '../../core/log.ts';
import { mountPoints } from '../../fs/mount-points.ts';
import { bringsCaCertificates, checkCaStore, checkCertificates, prepareCaStore } from '../start/index.ts';

/**
 * The per-Pod values that kolla-pod.yaml sets in files. Used by apply, check, plan and watch. Undefined if the section
 * is missing.
 * @param podFile kolla-pod.yaml, from the context
 * @param inherited the caller's environment, from the context
 * @param configDir where passwords may be mounted
 * @throws ConfigError with every problem and its location
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
 * The environment variables that kolla-pod.yaml's overlays may need, without their values: for a Pod spec.
 * @throws ConfigError with every problem and its location
 */
export async function namesForOverlays(podFile: PodFile | undefined): Promise<readonly string[]> {
  const section = podFile?.sectionOf('overlays');
  if (podFile === undefined || section === undefined) return [];
  const { overlayNames } = await import('../../config/overlays/index.ts');
  return overlayNames(podFile.file, section);
}

/** The IDs of this process. Throws UsageError on systems other than Linux. */
function whoAmI(): Identity {
  if (!process.geteuid || !process.getegid || !process.getgroups) throw new UsageError('kolla-init needs Linux');
  return { uid: process.geteuid(), gid: process.getegid(), groups: process.getgroups() };
}

/** The directories that kolla-init works on. */
interface Place {
  readonly root: string;
  readonly configDir: string;
}

/**
 * The part of ConfigOptions that all commands share.
 * @throws as overlayFrom() and whoAmI()
 */
export async function configOptions(
  { configDir, configJson, root }: Values<typeof FILE_OPTIONS>,
  { podFile, inherited }: Pick<Context, 'podFile' | 'inherited'>,
): Promise<ConfigOptions & { readonly overlay: Overlay | undefined }> {
  const overlay = await overlayFrom(podFile, inherited, configDir);
  return { configDir, configFile: configJson, root, me: whoAmI(), overlay };
}

/**
 * For ConfigOptions.mustExist: a directory that was chosen, or mounted, is meant to have a config.json. Without one,
 * kolla-init only waits.
 */
export function configNeeded({ configDir }: Pick<Place, 'configDir'>): string | undefined {
  const isMeant = configDir !== CONFIG_DIR || mountPoints().has(CONFIG_DIR);
  return isMeant ? 'mount the ConfigMap there, with the key config.json' : undefined;
}

/** For ConfigOptions.validate: invalid certificates also reject the other files of their version. */
export function certificateCheck({ root, configDir }: Place): ConfigOptions['validate'] {
  return root === '/' ? undefined : () => checkCertificates(configDir, '/');
}

/** Same as certificateCheck, and also checks that the store is writable. */
export function certificateCheckToWrite({ root, configDir }: Place): ConfigOptions['validate'] {
  if (root === '/') return undefined;
  return (sources) => {
    checkCertificates(configDir, '/');
    checkCaStore({ image: '/', root, configDir, asked: bringsCaCertificates(sources) });
  };
}

/**
 * The CA store of a container without root, in a volume below `root`, if the deployment has certificates. At `/` itself
 * the store is the image's: kolla_start updates it as root; otherwise it cannot change, which is logged.
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
