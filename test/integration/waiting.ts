import { once } from 'node:events';
import { logLines, startHelper } from '../support/helper.ts';
import type { Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';

/** A kolla-init that is running, with its log so far. */
export interface Waiting extends AsyncDisposable {
  readonly running: Running;
  readonly ended: Promise<number>;
  messages(): string[];
  /** The states of one dependency in the log, without its name. */
  statesOf(wait: string): string[];
  /** Resolves with the first state of a dependency that matches, starting at index `from`. */
  state(wait: string, pattern: RegExp, from?: number): Promise<string>;
  /** Resolves with the first log line that matches, starting at line `after`. */
  said(pattern: RegExp, after?: number): Promise<string>;
}

/** Starts kolla-init as users do. Without a directory there is no config.json. */
export async function startInit(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  configDir = '/no/config',
): Promise<Waiting> {
  // Caches the compiled API client, whose compilation takes a quarter of each run.
  const cache = process.env['NODE_COMPILE_CACHE'];
  const running = await startHelper('kolla-init', ['--config-dir', configDir, '--allow-no-config', ...args], {
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
  let isOver = false;
  const ended = once(running.child, 'close').then(() => {
    isOver = true;
    return running.ended;
  });
  const foundIn = (texts: readonly string[], pattern: RegExp) => {
    const found = texts.find((each) => pattern.test(each));
    if (found === undefined && isOver) throw new Error(`it ended without ${String(pattern)}:\n${text}`);
    return found;
  };
  return {
    running,
    ended,
    messages,
    statesOf,
    async state(wait, pattern, from = 0) {
      return await until(`${wait} to be ${String(pattern)}`, (saw) => {
        const states = statesOf(wait);
        saw(states);
        return foundIn(states.slice(from), pattern);
      });
    },
    async said(pattern, after = 0) {
      return await until(`kolla-init to say ${String(pattern)}`, (saw) => {
        const all = messages();
        saw(all.slice(-10).join('\n'));
        return foundIn(all.slice(after), pattern);
      });
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
