import { SYSTEM_PATH } from '../../cli/raised.ts';
import type { Log } from '../../core/log.ts';
import { findProgram, isRefusal } from '../../process/exec/index.ts';
import { start } from '../../process/run.ts';

/** There are few certificates, so a longer update is considered to hang. */
const UPDATE_MAX_MS = 120_000;
/** Time from SIGTERM to SIGKILL. We have a second to exit ourselves. */
const GRACE_MS = 500;

interface UpdateParts {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Time after which the update counts as hanging. */
  readonly deadline?: AbortSignal;
}

/**
 * Runs the image's own update of its CA bundle, sharing our stdout and stderr, and resolves with its exit code; with
 * 126 or 127 and a log line if it is missing. At its deadline, and on shutdown, its process group gets SIGTERM, and
 * SIGKILL soon after. Rejects with the signal's reason.
 */
export async function runUpdate(
  command: string,
  { env, signal, log, deadline = AbortSignal.timeout(UPDATE_MAX_MS) }: UpdateParts,
): Promise<number> {
  signal.throwIfAborted();
  const program = findProgram(command, SYSTEM_PATH);
  if (isRefusal(program)) {
    log.error(`the CA bundle is not updated: ${program.reason}; install the package ca-certificates in the image`);
    return program.code;
  }
  // The whole group gets the signal, because a script handles SIGTERM only after its command has exited.
  const { code, by } = await start(program.file, program.words, {
    env: { ...env, PATH: SYSTEM_PATH },
    signal: AbortSignal.any([signal, deadline]),
    graceMs: GRACE_MS,
    output: 'inherit',
  }).ended;
  signal.throwIfAborted();
  if (code !== 0) {
    const end = deadline.aborted
      ? `did not exit within ${UPDATE_MAX_MS / 1000} s`
      : by === undefined
        ? `exited with code ${code}`
        : `was killed by ${by}`;
    log.error(`${command} ${end}: the CA bundle may lack the deployment's certificates`);
  }
  return by === undefined ? code : 1;
}
