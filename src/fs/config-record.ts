/**
 * The state of a configuration watch, as a file: kolla-init watch writes it on each change, and health checks read it,
 * in the same container or in another one with the same volume at /run/kolla.
 */
import { codeOf } from '../core/errors.ts';
import { formatProblem } from '../core/format.ts';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from './content.ts';

export interface ConfigRecord {
  readonly state: 'in-step' | 'refused' | 'failed' | 'absent';
  /** The version that is installed; undefined if there is none. */
  readonly version: string | undefined;
  /** The version that was examined last, installed or rejected. */
  readonly looked: string | undefined;
  /** The kubelet's version of the examined content; undefined for a plain directory. */
  readonly configMap: string | undefined;
  /** Digest of what is installed, for the next watch; undefined if it is not complete. */
  readonly installed?: string | undefined;
  /** Why the installed version is not the newest one. */
  readonly problem: string | undefined;
}

/** The record's path below a root. */
export function configRecordFile(root: string): string {
  return join(root, 'run/kolla/config-watch.json');
}

/** Reads the record; undefined if it is missing. Throws an error if it is not readable or not valid. */
export function readConfigRecord(root: string): ConfigRecord | undefined {
  try {
    const found: unknown = JSON.parse(readRegular(configRecordFile(root)).toString());
    const problem = formatProblem((found as { format?: unknown } | null)?.format);
    if (problem !== undefined) throw new SyntaxError(`it ${problem}`);
    if (isRecord(found)) return found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new SyntaxError('it is not a record of a watch');
}

/** The kubelet's version of the mounted content; undefined for a plain directory. */
export function configMapVersion(configDir: string): string | undefined {
  try {
    return readlinkSync(join(configDir, '..data')).replace(/^.*\//, '');
  } catch {
    return undefined; // no ConfigMap, or inaccessible
  }
}

function isRecord(found: unknown): found is ConfigRecord {
  if (typeof found !== 'object' || found === null) return false;
  const { state, version, looked, configMap, installed, problem } = found as Record<string, unknown>;
  const isKnown = ['in-step', 'refused', 'failed', 'absent'].includes(String(state));
  return (
    isKnown &&
    [version, looked, configMap, installed, problem].every((one) => one === undefined || typeof one === 'string')
  );
}
