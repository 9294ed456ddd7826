import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binaryOf } from '../../src/toolbox/install/core-names.ts';
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
/** The dispatcher of the helpers, run by node. */
export const HELPERS = await bundledHelpers();
/** Set by test/native/ and `make soak`: kolla-core then runs the commands that it has. */
export const isOnCore = process.env['KOLLA_ON_CORE'] !== undefined;
const core = isOnCore ? await import('../cluster/on-core.ts').then(({ builtCore }) => builtCore()) : undefined;

/** The command line that precedes the arguments of a helper. @param names a directory with built helpers by name */
function commandOf(name: string, names: string | undefined, dispatcher: string = HELPERS): [string, ...string[]] {
  if (names !== undefined) return [join(names, name)];
  const isCores = core !== undefined && binaryOf(name, true) === 'kolla-core';
  return isCores ? [join(core.names, name)] : [process.execPath, dispatcher, name];
}

export interface HelperOptions extends RunOptions {
  /** A directory with the helpers of another build, by name. */
  readonly names?: string | undefined;
  /** Runs the helper from its source files, so that a test can see which modules are loaded. */
  readonly fromSource?: true;
}

/** Tests not about timeouts must not hit one on a busy machine; the real default is below a second. */
const PROBE_TIMEOUT = { KOLLA_PROBE_TIMEOUT: '30s' };

/** Options that are set in the developer's shell must not reach the helper. */
function cleanEnv(name: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...(name === 'kolla-probe' && PROBE_TIMEOUT), ...env };
}

/** Runs a helper as a process, as users do. */
export function runHelper(name: string, args: readonly string[], options: HelperOptions = {}): Promise<Finished> {
  const [program, ...words] = commandOf(name, options.names, options.fromSource ? FROM_SOURCE : HELPERS);
  return run(program, [...words, ...args], { ...options, env: cleanEnv(name, options.env) });
}

export interface StartHelperOptions extends StartOptions {
  /** Arguments that precede its command line, each of which executes the next: `nsenter --mount=FILE --`. */
  readonly launcher?: readonly string[];
  /** A directory with the helpers of another build, by name. */
  readonly names?: string | undefined;
}

/** Starts a helper that keeps running. It exits when it is stopped, or when this process exits for any reason. */
export function startHelper(name: string, args: readonly string[], options: StartHelperOptions = {}): Promise<Running> {
  const { launcher = [], names, ...others } = options;
  const [program = '', ...words] = [...launcher, ...commandOf(name, names), ...args];
  return start(...tied(program, words), { ...others, env: cleanEnv(name, options.env) });
}

/** The JSON lines that a helper has logged. */
export function logLines(stderr: string): { level: string; msg: string; [field: string]: unknown }[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string });
}
