import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDuration } from '../../core/duration.ts';
import { DeadlineError, UnavailableError, messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import { redactor } from '../../core/redact.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import { start, type Ended, type RunOptions } from '../../process/run.ts';
import type { Effects } from '../converge/effects.ts';
import { primaryOf, type Ring } from './ring.ts';

const KILL_AFTER_MS = 10_000;
const LAST_LINES = 3;

interface ToolEffects extends Effects {
  /** The service's configuration file. */
  readonly configFile: string;
  /** The tool's environment; its PATH locates the tool. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the service's own tool to re-encrypt data that is encrypted with other keys, with the ring's primary key. The
 * tool gets the keys in a separate directory, since the Pod's mount may lag. Idempotent and interruptible.
 * @throws UnavailableError if the tool is missing or fails, with its last output
 */
export async function reencryptWith(
  { name, directoryAt, reencrypt }: KeyRepository,
  ring: Ring,
  { configFile, env, signal, deadline, timeoutMs, log }: ToolEffects,
): Promise<void> {
  if (reencrypt === undefined) return;
  const directory = await mkdtemp(join(tmpdir(), 'kolla-keys-'));
  try {
    const [keys, overlay] = [join(directory, 'keys'), join(directory, 'overlay.conf')];
    await mkdir(keys, { mode: 0o700 });
    for (const [id, key] of ring.keys)
      await writeFile(join(keys, String(id)), key, { mode: 0o600, encoding: 'latin1' });
    await writeFile(overlay, `[${directoryAt.section}]\n${directoryAt.key} = ${keys}\n`);
    const words = reencrypt.map((word) => word.replace('{config}', configFile).replace('{overlay}', overlay));
    log.info(`${name}: ${reencrypt[0]} re-encrypts data of other keys with key ${primaryOf(ring)}`);
    // An environment variable takes precedence over every file, including those in keystone.conf.d.
    const variable = `OS_${directoryAt.section}__${directoryAt.key}`.toUpperCase();
    signal.throwIfAborted();
    const ended = deadline.aborted
      ? undefined
      : await run(words, {
          env: { ...env, [variable]: keys },
          signal: AbortSignal.any([signal, deadline]),
          graceMs: KILL_AFTER_MS,
          redact: redactor([...ring.keys.values()].map((key) => key.trim())),
        });
    signal.throwIfAborted();
    if (ended === undefined || deadline.aborted)
      throw new DeadlineError(`${reencrypt.join(' ')} did not finish within ${formatDuration(timeoutMs)}`);
    if (ended.code === 0) return;
    const last = ended.err
      .trim()
      .split('\n')
      .slice(-LAST_LINES)
      .map((line) => oneLine(line))
      .join(' | ');
    throw new UnavailableError(
      `${name}: ${reencrypt[0]} ` +
        `${ended.by === undefined ? `exited with code ${ended.code}` : `was killed by ${ended.by}`}; no ` +
        `key was dropped; its last line: ${last || 'none; see its log'}`,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function run([command = '', ...args]: readonly string[], options: RunOptions): Promise<Ended> {
  try {
    return await start(command, args, options).ended;
  } catch (cause) {
    throw new UnavailableError(
      `cannot run ${command}, which re-encrypts the data: ${messageOf(cause)}; run this in the service's own image`,
      { cause },
    );
  }
}
