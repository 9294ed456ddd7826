import { run } from '../../../tools/process.ts';

/**
 * A process outside of every other's line, as a pod with shared processes has some: where this test is all that runs, /proc shows
 * a container of its own, and who is missing there may be in another one.
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
