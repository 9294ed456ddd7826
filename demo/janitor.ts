import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every process of the demo carries it in its environment, with the private root as value. */
export const MARK = 'KOLLA_POD_DEMO_ROOT';

/**
 * Waits for the end of its stdin, which is our end, however we end. Then it kills whatever still carries the mark and
 * removes the folder: the one way in which the demo is cleaned up, so that it is tried at every run.
 */
const SWEEP = `
trap '' INT TERM HUP
cat >/dev/null
mark="${MARK}=$1"
for round in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for environ in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' 2>/dev/null <"$environ" | grep -qxF "$mark" 2>/dev/null; then
      pid=\${environ#/proc/}
      kill -KILL "\${pid%/environ}" 2>/dev/null && left=1
    fi
  done
  [ -z "$left" ] && break
done
rm -rf -- "$1"
`;

export interface PrivateRoot extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder, and somebody who removes it with all its processes when we are gone. */
export async function privateRoot(): Promise<PrivateRoot> {
  const path = await mkdtemp(join(tmpdir(), 'kp-demo-'));
  const janitor = spawn('sh', ['-c', SWEEP, 'janitor', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  await once(janitor, 'spawn');
  process.env[MARK] = path;
  return {
    path,
    async [Symbol.asyncDispose]() {
      delete process.env[MARK];
      janitor.stdin.end();
      await once(janitor, 'exit');
    },
  };
}

/** How often we look whether whoever started us is still there: nothing tells. */
const LOOK_MS = 500;

/** Aborts when our parent dies: `make` killed by SIGKILL takes no child with it. */
export function abortWithParent(controller: AbortController): Disposable {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) controller.abort(new Error('the process that started the demo is gone'));
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
