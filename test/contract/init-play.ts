/** Runs kolla-init on the cases of kolla_set_configs: as root, in the image itself, with a state directory. */
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KollaError } from '../../src/core/errors.ts';
import { putInPlace } from '../../src/config/index.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { CONFIG } from './set-configs/play.ts';
import type { Ended, Start } from './set-configs/reference.ts';

/** One start of kolla-init. Throws errors other than KollaError, because they are bugs. */
export async function byInit({ root }: Start): Promise<Ended> {
  mkdirSync(join(root, 'run/kolla'), { recursive: true });
  const restore = inThisRoot(root);
  const { log } = recordedLog();
  const me = { uid: 0, gid: 0, groups: [] };
  const options = { root, image: root, configDir: join(root, CONFIG), configFile: undefined, me };
  try {
    await putInPlace(options, { signal: new AbortController().signal, log });
    return { code: 0, stderr: '' };
  } catch (error) {
    if (!(error instanceof KollaError)) throw error;
    return { code: error.exitCode, stderr: error.message };
  } finally {
    restore();
  }
}

/**
 * Prefixes the sources in config.json with the root, since kolla-init applies --root only to destinations. config.json
 * keeps its mtime, which an entry may preserve. @returns restores the file
 */
function inThisRoot(root: string): () => void {
  const file = join(root, CONFIG, 'config.json');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return () => {};
  const write = (content: Buffer) => {
    writeFileSync(file, content);
    utimesSync(file, found.atime, found.mtime);
  };
  const text = readFileSync(file);
  const sources = /("source": ?")(?=\/(?!var\/lib\/kolla\/config_files))/g;
  write(Buffer.from(text.toString('latin1').replace(sources, `$1${root}`), 'latin1'));
  return () => write(text);
}
