import { run } from '../../../tools/process.ts';

/**
 * An unrelated process, as in a pod with shared processes: if only the test were running, /proc would look like
 * a separate container's, and a missing process could be in another container.
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
