/**
 * A container's configuration, as Kolla's config.json asks for it.
 *
 *   config.yaml or config.json -> read (valibot, every problem at once) -> plan (owners, sources and destinations looked
 *   up, contents read, compared with what is there) -> apply (temporary beside, fsync, rename)
 *
 * Until apply nothing is touched, and a problem is exit 65 with file, entry and fix. Apply fails only where the system
 * does (full, read-only, a mount point); every file is then wholly old or wholly new, and the next run goes on.
 */
import { ConfigError, messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { realpath } from 'node:fs/promises';
import { applyPlan, type Applied } from './apply.ts';
import { readAccounts, type Identity } from './owner.ts';
import { planConfig } from './plan.ts';
import { readConfig } from './read.ts';

export type { Identity } from './owner.ts';
export { CONFIG_DIR } from './read.ts';

export interface ConfigOptions {
  /** Stands for /var/lib/kolla/config_files, also in the sources of config.json. */
  readonly configDir: string;
  /** The file to read instead of config.yaml or config.json in configDir; must be there. */
  readonly configFile: string | undefined;
  /** What destinations and accounts lie under. */
  readonly root: string;
  readonly me: Identity;
}

export interface InPlace extends Applied {
  /** What config.json says the container runs. */
  readonly command: string;
}

/** Puts everything in place. Undefined when there is no configuration at the default place. */
export async function putInPlace(
  options: ConfigOptions,
  context: { readonly signal: AbortSignal; readonly log: Log },
): Promise<InPlace | undefined> {
  const { log } = context;
  const loaded = await readConfig(options.configDir, options.configFile);
  if (loaded === undefined) {
    log.info(`no config.json in ${options.configDir}: there are no files to put in place`);
    return undefined;
  }
  const root = await realpath(options.root).catch((cause: unknown) => {
    throw new ConfigError(`--root ${options.root}: ${messageOf(cause)}; it must be a folder`, { cause });
  });
  const plan = await planConfig(loaded, { ...options, root, accounts: await readAccounts(root) });
  if (plan.notDone.length > 0) log.warn(`${loaded.file}: this version does not do ${plan.notDone.join(', ')}`);
  if (plan.absent.length > 0) log.info(`optional, and not there: ${plan.absent.join(', ')}`);
  return { ...(await applyPlan(loaded.file, plan, root, context)), command: loaded.document.command };
}
