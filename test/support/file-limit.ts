/**
 * Watchdog of a test file, preloaded by test/run.ts, or by until.ts when a single file is run: the only timeout for
 * waits. It prints open waits and running programs, kills those, and fails the file.
 */
import { partsBeingSetUp } from '../../tools/cache.ts';
import { runningPrograms, signalIfThere } from '../../tools/process.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeShare } from './busy.ts';
import { explanations, openWaits } from './open-waits.ts';

const DEFAULT_MINUTES = 10;
const TICK_MS = 1000;
/** Maximum time counted per tick. During a longer one the machine or this process was stopped, and no wait progressed. */
const COUNTED_TICK_MS = 5 * TICK_MS;
/** Limit for open waits to explain themselves: they may query a hung server. */
const EXPLAIN_MS = 20_000;

let limitMs = DEFAULT_MINUTES * 60_000;
let countedMs = 0;
let timer: NodeJS.Timeout | undefined;

if (process.argv[1]?.endsWith('.test.ts')) fileLimit(DEFAULT_MINUTES);

/**
 * Sets the remaining time of this file. Setting up a cached part does not count: on a cold cache builds take minutes.
 * Nor does a stop of the whole machine, and little of the time in which others hold its processors or disk.
 */
export function fileLimit(minutes: number): void {
  limitMs = minutes * 60_000;
  countedMs = 0;
  timer ??= watch();
}

function watch(): NodeJS.Timeout {
  let lastMs = performance.now();
  const free = freeShare();
  const tick = setInterval(
    () => {
      const nowMs = performance.now();
      const share = free(nowMs - lastMs);
      if (partsBeingSetUp().length === 0) countedMs += Math.min(nowMs - lastMs, COUNTED_TICK_MS) * share;
      lastMs = nowMs;
      if (countedMs < limitMs) return;
      clearInterval(tick);
      void giveUp();
    },
    Math.min(TICK_MS, limitMs),
  );
  return tick.unref();
}

async function giveUp(): Promise<never> {
  const programs = runningPrograms();
  const lines = [
    `${process.argv[1]} did not end in ${Number((limitMs / 60_000).toFixed(2))} min`,
    ...openWaits(),
    ...programs.map(({ command, pid, lastLine }) => `runs ${command} (pid ${pid}), said last: ${lastLine}`),
    `holds ${process.getActiveResourcesInfo().join(', ')}`,
  ];
  console.error(lines.join('\n  '));
  const more = await Promise.race([explanations(), sleep(EXPLAIN_MS, ['nothing more in time'])]);
  console.error(more.join('\n'));
  for (const { pid, isGroup } of programs) signalIfThere(isGroup ? -pid : pid, 'SIGKILL');
  // eslint-disable-next-line unicorn/no-process-exit -- what holds the process is what hangs
  process.exit(1);
}
