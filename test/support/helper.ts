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
/** Names that only kolla-core has. */
const ONLY_CORE = new Set(['kolla-log-ship', 'kolla-sidecar']);
let core: Promise<{ readonly names: string }> | undefined;

/** The command line of a helper. */
async function commandOf(name: string, args: readonly string[], source: Source): Promise<[string, ...string[]]> {
  if (source.names !== undefined) return [join(source.names, name), ...args];
  if (source.fromSource) return [process.execPath, FROM_SOURCE, name, ...args];
  return [...(await programOf(name, args)), ...args];
}

/** What runs a helper with these arguments, which are to follow. */
export async function programOf(name: string, args: readonly string[]): Promise<[string, ...string[]]> {
  const isStaying = name === 'kolla-db-sync' && args[0] !== 'rbac' && args.includes('--stay');
  const isCores = isStaying || ONLY_CORE.has(name) || (isOnCore && binaryOf(name, true) === 'kolla-core');
  if (!isCores) return [process.execPath, HELPERS, name];
  core ??= import('../cluster/on-core.ts').then(({ builtCore }) => builtCore());
  return [join((await core).names, name)];
}

interface Source {
  /** A directory with the helpers of another build, by name. */
  readonly names?: string | undefined;
  /** Runs the helper from its source files by node, so that a test can see which modules are loaded, or set the clock. */
  readonly fromSource?: true;
}

export interface HelperOptions extends RunOptions, Source {}

/**
 * Tests not about timeouts must not hit one on a busy machine, whose processor or disk may take seconds for what usually takes
 * milliseconds.
 */
const PATIENCE: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  'kolla-probe': { KOLLA_PROBE_TIMEOUT: '30s' },
  'kolla-log-ship': { KOLLA_LOG_SHIP_GRACE: '1h' },
};

/** Options that are set in the developer's shell must not reach the helper. */
function cleanEnv(name: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...PATIENCE[name], ...env };
}

/** Runs a helper as a process, as users do. */
export async function runHelper(name: string, args: readonly string[], options: HelperOptions = {}): Promise<Finished> {
  const [program, ...words] = await commandOf(name, args, options);
  return await run(program, words, { ...options, env: cleanEnv(name, options.env) });
}

export interface StartHelperOptions extends StartOptions, Source {
  /** Arguments that precede its command line, each of which executes the next: `nsenter --mount=FILE --`. */
  readonly launcher?: readonly string[];
}

/** Starts a helper that keeps running. It exits when it is stopped, or when this process exits for any reason. */
export async function startHelper(
  name: string,
  args: readonly string[],
  options: StartHelperOptions = {},
): Promise<Running> {
  const { launcher = [] } = options;
  const [program = '', ...words] = [...launcher, ...(await commandOf(name, args, options))];
  return await start(...tied(program, words), { ...options, env: cleanEnv(name, options.env) });
}

/** The JSON lines that a helper has logged. */
export function logLines(stderr: string): { level: string; msg: string; [field: string]: unknown }[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string });
}
