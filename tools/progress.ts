/** A step that takes less than this is not worth a line. */
const QUIET_MS = 3000;
/** The pauses between lines grow to this: a build of minutes needs no line each three seconds. */
const LONGEST_PAUSE_MS = 30_000;

/** Runs a set-up step, says after three seconds that it is under way, then ever more seldom, and at its end how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let said = false;
  let timer: NodeJS.Timeout;
  const sayAfter = (pauseMs: number): void => {
    timer = setTimeout(() => {
      process.stderr.write(`  ${what}: ${Math.round(seconds())} s ...\n`);
      said = true;
      sayAfter(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
  };
  sayAfter(QUIET_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer!);
    if (said) process.stderr.write(`  ${what}: done in ${seconds().toFixed(1)} s\n`);
  }
}
