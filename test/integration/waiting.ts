import { once } from 'node:events';
import { logLines, startHelper } from '../support/helper.ts';
import type { Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** A kolla-init that runs, and what it has said so far. */
export interface Waiting extends AsyncDisposable {
  readonly running: Running;
  readonly ended: Promise<number>;
  messages(): string[];
  /** What it said of one dependency, without its name. */
  statesOf(wait: string): string[];
  /** Resolves with the first state of a dependency that matches, from its state `from` on. */
  state(wait: string, pattern: RegExp, from?: number): Promise<string>;
  /** Resolves with the first line of its log that matches, from line `after` on. */
  said(pattern: RegExp, after?: number): Promise<string>;
}

/** Starts kolla-init as its users do; with no config.json unless a folder is given. */
export async function startInit(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  configDir = '/no/config',
): Promise<Waiting> {
  // What it needs for the API server takes a quarter of its time to compile, each time.
  const cache = process.env['NODE_COMPILE_CACHE'];
  const running = await startHelper('kolla-init', ['--config-dir', configDir, ...args], {
    keepOutput: true,
    env: { ...env, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
  });
  let text = '';
  const { stderr } = running.child;
  stderr?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  running.child.stdout?.resume();
  const lines = () => logLines(text.slice(0, text.lastIndexOf('\n') + 1));
  const messages = () => lines().map(({ msg }) => msg);
  const statesOf = (wait: string) =>
    lines()
      .filter((line) => line['wait'] === wait && line.msg.startsWith(`${wait}: `))
      .map(({ msg }) => msg.slice(wait.length + 2));
  return {
    running,
    ended: once(running.child, 'close').then(() => running.ended),
    messages,
    statesOf,
    async state(wait, pattern, from = 0) {
      const heard = () =>
        Promise.resolve(
          statesOf(wait)
            .slice(from)
            .find((each) => pattern.test(each)),
        );
      return await until(`${wait} to be ${String(pattern)}`, heard).catch((cause: unknown) => {
        throw new Error(`of ${wait} it said only: ${statesOf(wait).join(' | ')}`, { cause });
      });
    },
    async said(pattern, after = 0) {
      const heard = () =>
        Promise.resolve(
          messages()
            .slice(after)
            .find((message) => pattern.test(message)),
        );
      return await until(`kolla-init to say ${String(pattern)}`, heard).catch((cause: unknown) => {
        throw new Error(`it said only: ${messages().join('\n')}`, { cause });
      });
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
