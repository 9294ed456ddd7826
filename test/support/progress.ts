/** A step that takes less than this is not worth a line. */
const QUIET_MS = 3000;

/** Runs a set-up step, says after three seconds that it is under way, and at its end how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  let said = false;
  const timer = setInterval(() => {
    say(`${what}: ${Math.round((performance.now() - began) / 1000)} s ...`);
    if (!said) timer.refresh();
    said = true;
  }, QUIET_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (said) say(`${what}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}
