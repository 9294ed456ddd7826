import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gets the directory, then waits for the end of its stdin, which closes however the demo exits. Then it kills every
 * process whose command line or environment contains the directory, and removes it: the demo's only cleanup, exercised
 * on every run. Its own command line must not contain the directory, or it would kill itself.
 */
const SWEEP = `
trap '' INT TERM HUP
read -r root
cat >/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for process in /proc/[0-9]*; do
    if grep -aqF -- "$root/" "$process/cmdline" "$process/environ" 2>/dev/null; then
      kill -KILL "\${process#/proc/}" 2>/dev/null && left=1
    fi
  done
  [ -z "$left" ] && break
done
rm -rf -- "$root"
`;

export interface PrivateRoot extends AsyncDisposable {
  readonly path: string;
}

/** An empty directory, and a process that removes it with all its processes once this process has exited. */
export async function privateRoot(): Promise<PrivateRoot> {
  const path = await mkdtemp(join(tmpdir(), 'kp-demo-'));
  const janitor = spawn('sh', ['-c', SWEEP, 'janitor'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  await once(janitor, 'spawn');
  janitor.stdin.write(`${path}\n`);
  // The servers' data is in it too, so that each of their environments contains it.
  process.env['TMPDIR'] = `${path}/`;
  return {
    path,
    async [Symbol.asyncDispose]() {
      janitor.stdin.end();
      await once(janitor, 'exit');
    },
  };
}

/** Polling interval for the parent process: there is no event. */
const LOOK_MS = 500;

/**
 * Aborts when the parent process has exited: `make` killed by SIGKILL does not kill its children. The caller clears
 * the timer.
 */
export function abortWithoutParent(controller: AbortController): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) controller.abort(new Error('the process that started it is gone'));
  }, LOOK_MS);
}
