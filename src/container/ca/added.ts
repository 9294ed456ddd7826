import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError, reasonOf } from '../../core/errors.ts';
import type { Certificate } from '#digest';
import type { Log } from '../../core/log.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { bundleWith, certificatesOf } from './pem.ts';
import { knownStoreOf, OWN_SOURCE, SHARED_SOURCE, sourcesIn, storeOf, type CaStore, type Sources } from './store.ts';

const SOURCE = 'ca-certificates';

/** Maps the name of a certificate file in the store to its content. */
export type Added = ReadonlyMap<string, readonly Certificate[]>;

/** Whether one of config.json's sources is Kolla's directory of deployment certificates, or is inside it. */
export function bringsCaCertificates(sources: readonly string[]): boolean {
  return sources.some(
    (source) => basename(source.replace(/\/+$/, '')) === SOURCE || source.startsWith(`${OWN_SOURCE}/`),
  );
}

/** The deployment's directory: next to its config.json, or installed by its config.json. Undefined if there is none. */
export function chosenSources(configDir: string, root: string): Sources | undefined {
  for (const directory of [join(configDir, SOURCE), join(root, SHARED_SOURCE)])
    if (isDirectory(directory)) return sourcesIn(directory);
  return undefined;
}

/**
 * Checks that the certificates next to config.json can be added, before anything is installed.
 * @param image root of the image's own store; a missing one is reported later
 * @throws ConfigError naming every file without a certificate
 */
export function checkCertificates(configDir: string, image: string): void {
  const directory = join(configDir, SOURCE);
  const store = knownStoreOf(image);
  if (store !== undefined && isDirectory(directory)) certificatesOfSources(sourcesIn(directory), store);
}

export function isDirectory(path: string): boolean {
  return unlessAbsent(() => statSync(path))?.isDirectory() ?? false;
}

/**
 * Reads all certificates of the deployment before anything is written.
 * @param log receives skipped files
 * @throws ConfigError naming every file without a certificate
 */
export function certificatesOfSources(sources: Sources, store: CaStore, log?: Log): Added {
  const found = new Map<string, Certificate[]>();
  for (const skipped of sources.skipped)
    log?.warn(`${sources.directory}/${skipped} and is not added to the CA certificates`);
  const wrong: string[] = [];
  for (const [name, { path, content }] of sources.files) {
    if (!store.reads.test(name)) {
      log?.warn(`${path} is not added: ${store.update} reads only files that end with .crt; rename its source`);
      continue;
    }
    try {
      found.set(name, certificatesOf(content.toString('latin1')));
    } catch (error) {
      wrong.push(`${path}: ${reasonOf(error)}`);
    }
  }
  if (wrong.length > 0) throw new ConfigError(`CA certificates can't be read: ${wrong.join('; ')}`);
  return found;
}

/**
 * Whether the store's bundle contains all of these certificates, as prepared by kolla-init for a container without
 * root.
 */
export function areInBundle(root: string, sources: Sources): boolean {
  const store = storeOf(root);
  const bundle = unlessAbsent(() => readFileSync(join(root, store.bundles[0]), 'latin1'));
  if (bundle === undefined) return false;
  const files = [...sources.files].filter(([name]) => store.reads.test(name));
  const added = files.flatMap(([, { content }]) => certificatesOf(content.toString('latin1')));
  return bundleWith(bundle, added).length === bundle.length;
}
