/** Maximum duration of a step that is not reported. */
const QUIET_MS = 3000;
/** The maximum pause between lines: a build of minutes needs no line every three seconds. */
const LONGEST_PAUSE_MS = 30_000;

/** Runs a set-up step; reports it after three seconds, then with growing pauses, and its duration at the end. */
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
