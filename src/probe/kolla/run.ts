import { ExitCode, KollaError, SignalError } from '../../core/errors.ts';
import { createOutput, ignoreClosedStderr } from '../../cli/output.ts';
import { stopOnSignals } from '../../cli/signals.ts';
import type { Understand } from './names.ts';
import { askOnce, NoProgramError, outputOf, WordsError, type ScriptOutput } from './curl/question.ts';
import type { KollaName } from './variables.ts';

/**
 * Runs one of Kolla's names: its stdout, its exit code, and the reason on stderr.
 * @returns 0 healthy, 1 unhealthy or invalid arguments, 143 and 130 for a signal
 */
export async function runKolla(
  name: KollaName,
  understand: Understand,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  if (argv.length === 1 && (argv[0] === '--help' || argv[0] === '-h')) return await sayHelp(name, understand);
  ignoreClosedStderr();
  using stop = stopOnSignals();
  using output = createOutput(process.stdout, () => {});
  try {
    const { code, stdout, stderr } = await said(name, () => understand(argv, env), stop.signal);
    if (stderr !== '') process.stderr.write(`${stderr}\n`);
    output.write(stdout);
    await output.finish();
    return code;
  } catch (error) {
    if (error instanceof SignalError) return error.exitCode;
    if (!(error instanceof KollaError)) throw error;
    // A missing program has a shell's exit code; any other error, such as a full disk behind stdout, is unhealthy.
    process.stderr.write(`${name}: ${error.message}\n`);
    return error instanceof NoProgramError ? error.exitCode : ExitCode.no;
  }
}

async function said(
  name: KollaName,
  understand: () => ReturnType<Understand>,
  signal: AbortSignal,
): Promise<ScriptOutput> {
  try {
    return await askOnce(understand(), signal);
  } catch (error) {
    if (error instanceof WordsError) return outputOf(name, error);
    throw error;
  }
}

/** Prints help. Its tables are loaded lazily: a probe that runs every few seconds does not need them. */
async function sayHelp(name: KollaName, understand: Understand): Promise<ExitCode> {
  const [{ helperOf }, { run }] = await Promise.all([import('./helpers.ts'), import('../../cli/run.ts')]);
  const helper = helperOf(name, (argv, env) => runKolla(name, understand, argv, env));
  return await run(helper, ['--help'], {});
}
