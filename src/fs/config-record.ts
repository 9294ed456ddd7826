/**
 * How the watch of a configuration stands, as a file: kolla-init watch writes it at each change, and whoever asks about a
 * container's health reads it, in that container or in another one that has the same volume at /run/kolla.
 */
import { formatProblem } from '../core/format.ts';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface ConfigRecord {
  readonly state: 'in-step' | 'refused' | 'failed' | 'absent';
  /** Of what is in place; undefined when nothing is. */
  readonly version: string | undefined;
  /** The version that was looked at last: the one in place, or the one that was refused. */
  readonly looked: string | undefined;
  /** What the kubelet calls what was looked at; undefined for a plain directory. */
  readonly configMap: string | undefined;
  /** What keeps it from being in step. */
  readonly problem: string | undefined;
}

/** Where it lies below a root. */
export function configRecordFile(root: string): string {
  return join(root, 'run/kolla/config-watch.json');
}

/** Undefined where there is none. Throws the system's error, or a SyntaxError for what is no record. */
export function readConfigRecord(root: string): ConfigRecord | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(configRecordFile(root), 'utf8'));
    const problem = formatProblem((found as { format?: unknown } | null)?.format);
    if (problem !== undefined) throw new SyntaxError(`it ${problem}`);
    if (isRecord(found)) return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new SyntaxError('it is no record of a watch');
}

/** What the kubelet calls the version that is mounted there; undefined for a plain directory. */
export function configMapVersion(configDir: string): string | undefined {
  try {
    return readlinkSync(join(configDir, '..data')).replace(/^.*\//, '');
  } catch {
    return undefined; // no ConfigMap, or none that may be looked at
  }
}

function isRecord(found: unknown): found is ConfigRecord {
  if (typeof found !== 'object' || found === null) return false;
  const { state, version, looked, configMap, problem } = found as Record<string, unknown>;
  const isKnown = ['in-step', 'refused', 'failed', 'absent'].includes(String(state));
  return isKnown && [version, looked, configMap, problem].every((one) => one === undefined || typeof one === 'string');
}
