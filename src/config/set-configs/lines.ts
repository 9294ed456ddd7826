import { isoTime, localTime } from '../../core/local-time.ts';

/** Log lines in Kolla's format: kolla-ansible shows them as the reason for a change, and users search for them. */
export interface Lines {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
  /** Writes the queued lines. */
  flush(): void;
}

/**
 * `2026-11-21 05:33:57.123 INFO message`, local time. Buffered until `flush`, since a write per line costs more than
 * most of the logged actions.
 */
export function createLines(write: (text: string) => void, now: () => number = Date.now): Lines {
  let kept: string[] = [];
  let offsetMs: number | undefined;
  let last = { ms: Number.NaN, stamp: '' };
  const at = (level: string) => (message: string) => {
    const utc = now();
    // The offset is computed once: it does not change within a run.
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
