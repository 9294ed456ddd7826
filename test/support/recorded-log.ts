import { createLog, type Level, type Log } from '../../src/core/log.ts';

export interface RecordedLog {
  readonly log: Log;
  /** The whole log as JSON lines. */
  readonly said: () => string;
}

/** A real log that records lines instead of writing them. */
export function recordedLog(level: Level = 'debug', onLine: (line: string) => void = () => {}): RecordedLog {
  let said = '';
  const log = createLog({
    helper: 'test',
    level,
    format: 'json',
    terminal: { isTerminal: false, color: false, width: 80 },
    write: (text) => {
      said += text;
      onLine(text);
    },
    now: () => new Date(),
  });
  return { log, said: () => said };
}
