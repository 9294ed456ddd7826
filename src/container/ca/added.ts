import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Certificate } from '../../core/digest.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { bundleWith, certificatesOf } from './pem.ts';
import { OWN_SOURCE, SHARED_SOURCE, sourcesIn, storeOf, type CaStore, type Sources } from './store.ts';

const SOURCE = 'ca-certificates';

/** A certificate file's name in the store -> what is in it. */
export type Added = ReadonlyMap<string, readonly Certificate[]>;

/** Whether one of config.json's sources is the folder that Kolla's deployments have their certificates in, or lies in it. */
export function bringsCaCertificates(sources: readonly string[]): boolean {
  return sources.some(
    (source) => basename(source.replace(/\/+$/, '')) === SOURCE || source.startsWith(`${OWN_SOURCE}/`),
  );
}

/** The deployment's folder: beside its config.json, or where its config.json put it. Undefined when there is none. */
export async function chosenSources(configDir: string, root: string): Promise<Sources | undefined> {
  for (const folder of [join(configDir, SOURCE), join(root, SHARED_SOURCE)])
    if ((await stat(folder).catch(ignoreAbsent))?.isDirectory()) return await sourcesIn(folder);
  return undefined;
}

/**
 * That what the deployment brings beside its config.json can be added, before any of it is put in place.
 * @param image what the image's own store lies under; where there is none, it is said when it is prepared
 * @throws ConfigError that names every file that holds no certificate
 */
export async function checkCertificates(configDir: string, image: string): Promise<void> {
  const folder = join(configDir, SOURCE);
  const store = await storeOf(image).catch(() => undefined);
  if (store !== undefined && (await stat(folder).catch(ignoreAbsent))?.isDirectory())
    await certificatesOfSources(await sourcesIn(folder), store);
}

/**
 * Reads all of them, before anything is written.
 * @param log told of what is passed over
 * @throws ConfigError that names every file that holds no certificate
 */
export async function certificatesOfSources(sources: Sources, store: CaStore, log?: Log): Promise<Added> {
  const found = new Map<string, Certificate[]>();
  for (const skipped of sources.skipped)
    log?.warn(`${sources.folder}/${skipped} and is not added to the CA certificates`);
  const wrong: string[] = [];
  for (const [name, file] of sources.files) {
    if (!store.reads.test(name)) {
      log?.warn(
        `${file} is not added: ${store.update} reads only files that end with .crt, and so do we; name its source so`,
      );
      continue;
    }
    try {
      found.set(name, certificatesOf(await readFile(file, 'latin1')));
    } catch (error) {
      wrong.push(`${file}: ${messageOf(error)}`);
    }
  }
  if (wrong.length > 0) throw new ConfigError(`CA certificates can't be read: ${wrong.join('; ')}`);
  return found;
}

/** Whether the store's bundle has every one of these certificates already, as kolla-init leaves it for a container without root. */
export async function areInBundle(root: string, sources: Sources): Promise<boolean> {
  const store = await storeOf(root);
  const bundle = await readFile(join(root, store.bundles[0]), 'latin1').catch(ignoreAbsent);
  if (bundle === undefined) return false;
  const files = [...sources.files].filter(([name]) => store.reads.test(name)).map(([, file]) => file);
  const texts = await Promise.all(files.map(async (file) => await readFile(file, 'latin1')));
  return bundleWith(bundle, texts.flatMap(certificatesOf)).length === bundle.length;
}
