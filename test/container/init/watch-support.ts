import { oneFile, Volume } from '../../config/watch/support.ts';
import { pod, type Pod } from '../../config/support.ts';
import { startHelper } from '../../support/helper.ts';
import { type Running } from '../../../tools/process.ts';
import { until } from '../../support/until.ts';

export interface Sidecar extends AsyncDisposable {
  readonly running: Running;
  readonly said: () => string;
  /** Resolves with the watch's log so far when the log matches. */
  until(what: RegExp): Promise<string>;
}

/**
 * Starts the watch of a Pod's configuration as a process.
 * @param launcher arguments that precede its command line, as of startHelper()
 */
export async function sidecar(
  p: Pick<Pod, 'root' | 'configDir'>,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  launcher: readonly string[] = [],
): Promise<Sidecar> {
  const files = ['--root', p.root, '--config-dir', p.configDir, '--settle', '20ms'];
  const running = await startHelper('kolla-init', ['watch', ...files, ...args], { env, launcher, keepOutput: true });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  running.child.stdout?.resume();
  return {
    running,
    said: () => said,
    async until(what) {
      return await until(`${what} in its log`, (saw) => {
        if (running.child.exitCode !== null && !what.test(said)) throw new Error(`it ended: ${said}`);
        saw(said);
        return what.test(said) ? said : undefined;
      });
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** A pod with its first version installed. */
export async function prepared(): Promise<Pod & { readonly volume: Volume }> {
  const p = await pod();
  const volume = new Volume(p.configDir);
  await volume.swap({ 'config.json': oneFile(), 'a.conf': 'one' });
  await p.apply();
  return { ...p, volume };
}
