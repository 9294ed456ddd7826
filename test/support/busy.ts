/** How busy the machine is, by the kernel's pressure stall information (docs.kernel.org/accounting/psi.html). */
import { readFileSync } from 'node:fs';

/** What always counts of a time, so that a hang is found on a machine that stays busy, too. */
const LEAST = 0.2;

/**
 * @param read the text of /proc/pressure/NAME; throws where the kernel has none
 * @returns called with the milliseconds since its last call (or since this one), the share of them, 0.2 to 1, in which no task
 * waited for a processor or for the disk; 1 where the kernel does not tell
 */
export function freeShare(
  read: (name: 'cpu' | 'io') => string = (name) => readFileSync(`/proc/pressure/${name}`, 'utf8'),
): (elapsedMs: number) => number {
  const stalled = () => [stalledUs(read, 'cpu'), stalledUs(read, 'io')] as const;
  let last = stalled();
  return (elapsedMs) => {
    const now = stalled();
    // The two overlap, so the larger one.
    const ms = Math.max(now[0] - last[0], now[1] - last[1]) / 1000;
    last = now;
    return Math.min(Math.max(1 - ms / elapsedMs, LEAST), 1);
  };
}

function stalledUs(read: (name: 'cpu' | 'io') => string, name: 'cpu' | 'io'): number {
  try {
    return Number(/^some .*total=(\d+)$/m.exec(read(name))?.[1] ?? 0);
  } catch {
    // No PSI in this kernel, or it is switched off: then all time counts.
    return 0;
  }
}
