import { isoTime, localTime } from '../../core/local-time.ts';

/** Log lines as Kolla's own: kolla-ansible shows them as the reason of a change, and people grep for them. */
export interface Lines {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
  /** Writes what was said since. */
  flush(): void;
}

/**
 * `2026-11-21 05:33:57.123 INFO message`, local time. They are kept until `flush`, because a write for each line costs more
 * than most of what they tell of, which takes milliseconds.
 */
export function createLines(write: (text: string) => void, now: () => number = Date.now): Lines {
  let kept: string[] = [];
  let offsetMs: number | undefined;
  let last = { ms: Number.NaN, stamp: '' };
  const at = (level: string) => (message: string) => {
    const utc = now();
    // The zone is looked up once: no clock changes in between.
    offsetMs ??= localTime(new Date(utc)).getTime() - utc;
    const ms = utc + offsetMs;
    if (ms !== last.ms) last = { ms, stamp: timestamp(new Date(ms)) };
    kept.push(`${last.stamp} ${level} ${message}\n`);
  };
  return {
    info: at('INFO'),
    warning: at('WARNING'),
    error: at('ERROR'),
    flush() {
      if (kept.length > 0) write(kept.join(''));
      kept = [];
    },
  };
}

function timestamp(local: Date): string {
  return isoTime(local).slice(0, -1).replace('T', ' ');
}
