import type { Log } from '../../src/core/log.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** A real log that records its messages, one per entry. */
export function log(said: string[] = []): Log {
  return recordedLog('debug', (line) => void said.push((JSON.parse(line) as { msg: string }).msg)).log;
}
