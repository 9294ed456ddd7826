import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, ConfigError, KollaError, messageOf, UnavailableError } from '../../core/errors.ts';
import { lookAt as entryAt } from '../../fs/access.ts';
import { makePlan, type ConfigOptions, type Planned, type RunContext } from '../index.ts';
import { readConfig } from '../read/read.ts';
import { fingerprintOf } from './fingerprint.ts';
import { followedPaths } from './followed.ts';
import { digestOf } from './installed.ts';

/** The result of examining the configuration. `paths` are those examined, to be watched from now on. */
export type Look = { readonly paths: readonly string[]; readonly fingerprint: string } & Found;

type Found =
  | { readonly kind: 'planned'; readonly planned: Planned; readonly digest: string }
  /** No configuration at the default path. */
  | { readonly kind: 'absent' }
  /** The configuration is invalid. */
  | { readonly kind: 'wrong'; readonly error: ConfigError }
  /** A system error, possibly transient. */
  | { readonly kind: 'failed'; readonly error: KollaError };

/**
 * Reads, validates and plans one version: undefined if it changed meanwhile, since a mix of two versions is not a
 * version. Changes nothing.
 * @param before the paths of the last result, kept if config.json is unreadable
 */
export async function lookAt(
  options: ConfigOptions,
  before: readonly string[],
  { signal, log }: RunContext,
): Promise<Look | undefined> {
  const paths = await pathsOf(options, before);
  const fingerprint = fingerprintOf(paths);
  const found = await plan(options, { signal, log });
  if (isHalfSwapped(options.configDir)) return undefined;
  if (fingerprintOf(paths) !== fingerprint) return undefined;
  if (String(await pathsOf(options, before)) !== String(paths)) return undefined;
  return { paths, fingerprint, ...found };
}

/**
 * Whether the kubelet is in the middle of an update: it renames `..data` first, and then links new names. In between,
 * added names are still missing while changed files are already new.
 */
function isHalfSwapped(configDir: string): boolean {
  return dataNames(configDir).some((name) => entryAt(join(configDir, name)) === undefined);
}

/** Empty if there is no `..data`, or it is not readable, which the plan has reported. */
function dataNames(configDir: string): string[] {
  try {
    return readdirSync(join(configDir, '..data'));
  } catch {
    return [];
  }
}

async function plan(options: ConfigOptions, context: RunContext): Promise<Found> {
  try {
    const planned = await makePlan(options, context);
    if (planned === undefined) return { kind: 'absent' };
    return { kind: 'planned', planned, digest: digestOf(planned) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ConfigError) return { kind: 'wrong', error };
    if (error instanceof KollaError) return { kind: 'failed', error };
    // A system error (EIO, EMFILE) may be transient; anything else is a bug, and ends the process.
    if (!(error instanceof Error) || codeOf(error) === undefined) throw error;
    return { kind: 'failed', error: new UnavailableError(messageOf(error), { cause: error }) };
  }
}

async function pathsOf(options: ConfigOptions, before: readonly string[]): Promise<readonly string[]> {
  const { configDir, configFile } = options;
  try {
    const loaded = await readConfig(configDir, configFile);
    return followedPaths(loaded?.document, options);
  } catch {
    // The plan reports the problem. A fixed version may appear at the same paths.
    return [...new Set([...before, ...followedPaths(undefined, options)])].toSorted();
  }
}
