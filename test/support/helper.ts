import { fileURLToPath } from 'node:url';
import { bundledHelpers } from './bundled.ts';
import {
  run,
  start,
  tied,
  type Finished,
  type RunOptions,
  type Running,
  type StartOptions,
} from '../../tools/process.ts';

const FROM_SOURCE = fileURLToPath(new URL('../../build/from-source.ts', import.meta.url));
/** The dispatcher of the helpers, run by node itself. */
export const HELPERS = await bundledHelpers();

export interface HelperOptions extends RunOptions {
  /** Each module in its own file, for who looks at what is loaded. */
  readonly fromSource?: true;
}

/** What is not about a deadline must not reach one on a busy machine; the real default is under a second. */
const PROBE_TIMEOUT = { KOLLA_PROBE_TIMEOUT: '30s' };

/** The options that a test's shell may have set must not reach the helper under test. */
function cleanEnv(name: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...(name === 'kolla-probe' && PROBE_TIMEOUT), ...env };
}

/** Runs a helper as its users do, as a process. */
export function runHelper(name: string, args: readonly string[], options: HelperOptions = {}): Promise<Finished> {
  const dispatcher = options.fromSource ? FROM_SOURCE : HELPERS;
  return run(process.execPath, [dispatcher, name, ...args], { ...options, env: cleanEnv(name, options.env) });
}

export interface StartHelperOptions extends StartOptions {
  /** Words in front of its command line, each of which becomes the next: `nsenter --mount=FILE --`. */
  readonly launcher?: readonly string[];
}

/** Starts a helper that goes on until it is stopped, or until we are gone, however we go. */
export function startHelper(name: string, args: readonly string[], options: StartHelperOptions = {}): Promise<Running> {
  const { launcher = [], ...others } = options;
  const [program = '', ...words] = [...launcher, process.execPath, HELPERS, name, ...args];
  return start(...tied(program, words), { ...others, env: cleanEnv(name, options.env) });
}

/** The JSON lines that a helper logged. */
export function logLines(stderr: string): { level: string; msg: string; [field: string]: unknown }[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string });
}
