import { run } from '../../../tools/process.ts';

/**
 * A process that is no relative of ours, as in a Pod with shared processes: if /proc shows only this test's processes,
 * it looks like a separate container, and a missing process may be in another one.
 */
export async function startStranger(): Promise<AsyncDisposable> {
  const { code, stdout, stderr } = await run('bash', ['--norc', '-c', 'sleep 1000 > /dev/null 2>&1 & echo $!']);
  if (code !== 0) throw new Error(`no process could be left behind: ${stderr}`);
  return {
    async [Symbol.asyncDispose]() {
      process.kill(Number(stdout));
    },
  };
}
