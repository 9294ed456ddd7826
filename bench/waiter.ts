import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cpuSecondsOf } from '../test/cluster/kubernetes/index.ts';
import { start } from '../tools/process.ts';
import { until } from '../test/support/until.ts';

const INIT = fileURLToPath(new URL('../dist/bin/kolla-init', import.meta.url));
const STARTS_AT_ONCE = 2;

/** A kolla-init of the built binary that waits for one object, as an init container does. */
export interface Waiter extends AsyncDisposable {
  /** Time of its exit, by performance.now(). Rejects unless the code is 0. */
  readonly ended: Promise<number>;
  cpuSeconds(): number;
  /** Its resident memory. */
  residentMegabytes(): number;
}

/** Starts one; resolves once it has logged that its dependency exists and is not ready. */
export async function startWaiter(wait: string, kubeconfig: string): Promise<Waiter> {
  const args = ['--config-dir', '/no/config', '--wait', wait, '--timeout', '30m', '--kubeconfig', kubeconfig];
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const running = await start(INIT, [...args, '--log-format', 'json'], { env, keepOutput: true });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  running.child.stdout?.resume();
  const ended = new Promise<number>((resolve, reject) => {
    running.child.once('exit', (code) => {
      if (code === 0) resolve(performance.now());
      else reject(new Error(`kolla-init ended with ${code}: ${said.slice(-1000)}`));
    });
  });
  // Stopped waiters are not awaited.
  ended.catch(() => {});
  await until(`kolla-init to have seen ${wait}`, () => Promise.resolve(said.includes(`${wait}: `) || undefined));
  return {
    ended,
    cpuSeconds: () => cpuSecondsOf(running.pid),
    residentMegabytes: () => {
      const [, kilobytes = NaN] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1024;
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Starts one per text; they are stopped with the stack. */
export async function startAll(
  texts: readonly string[],
  kubeconfig: string,
  stack: AsyncDisposableStack,
): Promise<Waiter[]> {
  const waiters: Waiter[] = [];
  const queue = [...texts.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      waiters[next[0]] = stack.use(await startWaiter(next[1], kubeconfig));
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, worker));
  return waiters;
}
