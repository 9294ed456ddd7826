import { basename } from 'node:path';
import { ExitCode } from './errors.ts';

/** What each file in cmd/ exports. */
export interface HelperModule {
  readonly main: (argv: string[], env: NodeJS.ProcessEnv) => Promise<number>;
}

/** How long a handle that somebody forgot may hold the process after its work is done. */
const LINGER_MS = 1000;

/**
 * Runs the helper that the program was called as (`kolla-probe` by a link) or that its first word names
 * (`kolla-pod probe` and `kolla-pod kolla-probe`), and sets the process's exit code: nothing else does.
 */
export async function dispatch(
  called: string,
  argv: readonly string[],
  names: readonly string[],
  load: (name: string) => Promise<HelperModule>,
): Promise<void> {
  // A closed stderr is nowhere to report to.
  process.stderr.on('error', () => {});
  const { name, rest } = chooseName(basename(called), argv, names);
  try {
    const { main } = await load(name);
    process.exitCode = await main(rest, process.env);
  } catch (error) {
    // Not 1, which Node would take: a probe says no with it.
    process.exitCode = ExitCode.bug;
    process.stderr.write(
      `${name}: our bug, please report it: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
  }
  // eslint-disable-next-line unicorn/no-process-exit
  setTimeout(() => process.exit(), LINGER_MS).unref();
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
