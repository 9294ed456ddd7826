import type { Log } from '../core/log.ts';

const REPEAT_MS = 30_000;

/** Logs a state when it changes, and every 30 s while it lasts. */
export function statusLine(log: Log): (text: string) => void {
  let said: { text: string; at: number } | undefined;
  return (text) => {
    const now = performance.now();
    if (said?.text === text && now - said.at < REPEAT_MS) return;
    said = { text, at: now };
    log.info(text);
  };
}
