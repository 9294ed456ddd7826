import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { formatDuration } from '../../core/duration.ts';
import { DeadlineError, UnavailableError, messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import { redactor } from '../../core/redact.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import type { Effects } from '../effects.ts';
import { primaryOf, type Ring } from './ring.ts';

const KILL_AFTER_MS = 10_000;
const LAST_LINES = 3;

export interface ToolEffects extends Effects {
  /** The service's configuration file. */
  readonly configFile: string;
  /** For the tool; it also says where it is. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Has the service's own tool encrypt with the primary of the ring what its other keys have. The tool gets the keys in a folder of its
 * own, as the one that a Pod has mounted may be behind. It may be run again, and cut off anywhere.
 * @throws UnavailableError for a tool that is not there or fails, with its last words
 */
export async function reencryptWith(
  { name, folderAt, reencrypt }: KeyRepository,
  ring: Ring,
  { configFile, env, signal, deadline, timeoutMs, log }: ToolEffects,
): Promise<void> {
  if (reencrypt === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'kolla-keys-'));
  try {
    const [keys, overlay] = [join(folder, 'keys'), join(folder, 'overlay.conf')];
    await mkdir(keys, { mode: 0o700 });
    for (const [id, key] of ring.keys)
      await writeFile(join(keys, String(id)), key, { mode: 0o600, encoding: 'latin1' });
    await writeFile(overlay, `[${folderAt.section}]\n${folderAt.key} = ${keys}\n`);
    const words = reencrypt.map((word) => word.replace('{config}', configFile).replace('{overlay}', overlay));
    log.info(`${name}: ${reencrypt[0]} encrypts with key ${primaryOf(ring)} what others have encrypted`);
    // A variable counts before every file, also before what a deployment has in keystone.conf.d.
    const variable = `OS_${folderAt.section}__${folderAt.key}`.toUpperCase();
    const { code, said } = await ran(words, { ...env, [variable]: keys }, AbortSignal.any([signal, deadline]));
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new DeadlineError(`${formatDuration(timeoutMs)} were not enough for ${reencrypt.join(' ')}`);
    if (code === 0) return;
    const hidden = redactor([...ring.keys.values()].map((key) => key.trim()))(said);
    const last = hidden
      .trim()
      .split('\n')
      .slice(-LAST_LINES)
      .map((line) => oneLine(line))
      .join(' | ');
    throw new UnavailableError(
      `${name}: ${reencrypt[0]} ended with ${code}; nothing was dropped; its last words: ${last || 'none; look into its log'}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ran(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const said = text(child.stderr).catch(() => '');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? 1, said: await said };
  } catch (cause) {
    throw new UnavailableError(
      `cannot run ${command}, which encrypts anew: ${messageOf(cause)}; run this in the service's own image`,
      { cause },
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
