/**
 * How the watch of a configuration stands, as a file: kolla-init watch writes it at each change, and whoever asks about a
 * container's health reads it, in that container or in another one that has the same volume at /run/kolla.
 */
import { FORMAT, formatProblem } from '../core/format.ts';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

export interface ConfigRecord {
  readonly state: 'in-step' | 'refused' | 'failed' | 'absent';
  /** Of what is in place; undefined when nothing is. */
  readonly version: string | undefined;
  /** The version that was looked at last: the one in place, or the one that was refused. */
  readonly looked: string | undefined;
  /** What the kubelet calls what was looked at; undefined for a plain folder. */
  readonly configMap: string | undefined;
  /** What keeps it from being in step. */
  readonly problem: string | undefined;
}

const MODE = 0o644;

/** Where it lies below a root. */
export function configRecordFile(root: string): string {
  return join(root, 'run/kolla/config-watch.json');
}

/** Undefined where there is none. Rejects with the system's error, or a SyntaxError for what is no record. */
export async function readConfigRecord(root: string): Promise<ConfigRecord | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(configRecordFile(root), 'utf8'));
    const problem = formatProblem((found as { format?: unknown } | null)?.format);
    if (problem !== undefined) throw new SyntaxError(`it ${problem}`);
    if (isRecord(found)) return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new SyntaxError('it is no record of a watch');
}

/** Rejects with the system's error. The folder must be there. */
export async function writeConfigRecord(root: string, record: ConfigRecord): Promise<void> {
  const content = Buffer.from(`${JSON.stringify({ format: FORMAT, ...record })}\n`);
  await replaceFile(configRecordFile(root), { content, mode: MODE, uid: -1, gid: -1 });
}

/** What the kubelet calls the version that is mounted there; undefined for a plain folder. */
export async function configMapVersion(configDir: string): Promise<string | undefined> {
  try {
    return (await readlink(join(configDir, '..data'))).replace(/^.*\//, '');
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
