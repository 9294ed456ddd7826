import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Is told the directory, then waits for the end of its stdin, which is our end, however we end. Then it kills every process
 * whose command line or environment names the directory, and removes it: the one way in which the demo is cleaned up, so
 * that it is tried at every run. The directory stands in its own command line nowhere, or it would find itself.
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

/** An empty directory, and a process that removes it with all its processes when we are gone. */
export async function privateRoot(): Promise<PrivateRoot> {
  const path = await mkdtemp(join(tmpdir(), 'kp-demo-'));
  const janitor = spawn('sh', ['-c', SWEEP, 'janitor'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  await once(janitor, 'spawn');
  janitor.stdin.write(`${path}\n`);
  // What the servers keep lies in it too, and so each of them names it.
  process.env['TMPDIR'] = `${path}/`;
  return {
    path,
    async [Symbol.asyncDispose]() {
      janitor.stdin.end();
      await once(janitor, 'exit');
    },
  };
}

/** How often we look whether whoever started us is still there: nothing tells. */
const LOOK_MS = 500;

/** Aborts when our parent is gone: `make` killed by SIGKILL takes no child with it. The caller ends the timer. */
export function abortWithoutParent(controller: AbortController): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) controller.abort(new Error('the process that started it is gone'));
  }, LOOK_MS);
}
