import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH } from '../cli/raised.ts';
import type { Log } from '../cli/log.ts';
import { findProgram, isRefusal } from '../platform/exec/index.ts';

/** Certificates are few: an update that takes longer hangs. */
const UPDATE_MAX_MS = 120_000;

/**
 * Runs the image's own update of its CA bundle, with our stdout and stderr as its own, and resolves with its exit code; with
 * 126 or 127 and a line in the log where there is none. Rejects with the signal's reason.
 */
export async function runUpdate(
  command: string,
  { env, signal, log }: { env: NodeJS.ProcessEnv; signal: AbortSignal; log: Log },
): Promise<number> {
  const program = findProgram(command, SYSTEM_PATH);
  if (isRefusal(program)) {
    log.error(`the CA bundle is not updated: ${program.reason}; install the package ca-certificates in the image`);
    return program.code;
  }
  const child = spawn(program.file, [...program.words], {
    env: { ...env, PATH: SYSTEM_PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const deadline = AbortSignal.timeout(UPDATE_MAX_MS);
  const stop = () => void child.kill('SIGTERM');
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener('abort', stop);
  const [code] = (await once(child, 'exit').finally(() => either.removeEventListener('abort', stop))) as [
    number | null,
  ];
  signal.throwIfAborted();
  if (code !== 0) {
    const end = deadline.aborted ? `did not end within ${UPDATE_MAX_MS / 1000} s` : `ended with ${code ?? 'a signal'}`;
    log.error(`${command} ${end}: the CA bundle may lack the deployment's certificates`);
  }
  return code ?? 1;
}
