import { createLog, type Log } from '../../src/core/log.ts';

/** A log as lines of JSON on stderr, also on kolla-core's engine. */
export function stderrLog(): Log {
  return createLog({
    helper: 'test',
    level: 'debug',
    format: 'json',
    terminal: { isTerminal: false, color: false, width: 80 },
    write: (text) => void process.stderr.write(text),
    now: () => new Date(),
  });
}
