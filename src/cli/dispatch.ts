import { basename } from 'node:path';
import { bugText, ExitCode, KollaError } from '../core/errors.ts';
import { createOutput, ignoreClosedStderr, OutputClosedError } from './output.ts';
import { refuseSetId } from './set-id.ts';
import { versionLine } from '../core/version.ts';

/** The exports of each file in cmd/. */
export interface HelperModule {
  readonly main: (argv: string[], env: NodeJS.ProcessEnv) => Promise<number>;
}

/** How long a leaked handle may keep the process alive after the helper has finished. */
const LINGER_MS = 1000;

/**
 * Runs the helper selected by the program's name (`kolla-probe` by a link) or by the first argument (`kolla-pod probe`
 * and `kolla-pod kolla-probe`). The only place that sets the exit code.
 */
export async function dispatch(
  called: string,
  argv: readonly string[],
  names: readonly string[],
  load: (name: string) => Promise<HelperModule>,
): Promise<void> {
  const { name, rest } = chooseName(basename(called), argv, names);
  try {
    refuseSetId();
    process.exitCode = isVersionAsked(rest) ? await sayVersion(name) : await runHelper(name, rest, load);
  } catch (error) {
    process.exitCode = exitCodeOf(error, name);
  }
  // eslint-disable-next-line unicorn/no-process-exit
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** Whether only the version is requested, which is printed without loading the helper. */
function isVersionAsked(argv: readonly string[]): boolean {
  return argv.length === 1 && argv[0] === '--version';
}

async function sayVersion(name: string): Promise<number> {
  using output = createOutput(process.stdout, () => {});
  output.write(versionLine(name));
  await output.finish();
  return ExitCode.ok;
}

async function runHelper(name: string, argv: string[], load: (name: string) => Promise<HelperModule>): Promise<number> {
  const { main } = await load(name);
  // A copy for the helper and its children. NODE_TLS_REJECT_UNAUTHORIZED is removed: the service's
  // environment must not weaken our TLS, and Node reads it on each use.
  const env = { ...process.env };
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  return await main(argv, env);
}

/** Helpers report their own errors; this covers errors before and after they run. */
function exitCodeOf(error: unknown, name: string): number {
  if (error instanceof OutputClosedError) return error.exitCode;
  ignoreClosedStderr();
  const known = error instanceof KollaError;
  process.stderr.write(`${name}: ${known ? error.message : `our bug, please report it: ${bugText(error)}`}\n`);
  // Node would exit with 1, which means "unhealthy" for a probe.
  return known ? error.exitCode : ExitCode.bug;
}

function chooseName(
  called: string,
  argv: readonly string[],
  names: readonly string[],
): { name: string; rest: string[] } {
  if (called !== 'kolla-pod' && names.includes(called)) return { name: called, rest: [...argv] };
  const [word = '', ...rest] = argv;
  const named = names.find((name) => name !== 'kolla-pod' && (name === word || name === `kolla-${word}`));
  return named === undefined ? { name: 'kolla-pod', rest: [...argv] } : { name: named, rest };
}
