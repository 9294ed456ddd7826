import { isoTime, localTime } from '../../cli/local-time.ts';

/** Log lines as Kolla's own: kolla-ansible shows them as the reason of a change, and people grep for them. */
export interface Lines {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/** `2026-11-21 05:33:57.123 INFO message`, local time, each line to `write`. */
export function createLines(write: (text: string) => void, now: () => Date = () => new Date()): Lines {
  const at = (level: string) => (message: string) => write(`${timestamp(now())} ${level} ${message}\n`);
  return { info: at('INFO'), warning: at('WARNING'), error: at('ERROR') };
}

function timestamp(time: Date): string {
  return isoTime(localTime(time)).slice(0, -1).replace('T', ' ');
}
