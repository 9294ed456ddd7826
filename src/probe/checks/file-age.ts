import { statSync } from 'node:fs';
import { parseDuration, formatDuration } from '../../core/duration.ts';
import { UsageError, messageOf } from '../../core/errors.ts';
import { check } from '../ask/check.ts';
import { healthyAs, unhealthy, type Question, type CheckResult } from '../ask/verdict.ts';

/** Checks that a file was modified recently, for a service that touches one as a heartbeat. */
export const fileAge = check({
  word: 'file-age',
  summary: 'Checks that a file was modified recently.',
  operands: [
    { name: 'FILE', help: 'file that the service updates regularly' },
    { name: 'AGE', help: 'maximum age, such as 90s' },
  ],
  options: [],
  examples: [
    { line: 'kolla-probe file-age /run/heartbeat 90s', does: 'healthy while the file is touched every minute' },
    { line: 'kolla-probe file-age /etc/keystone/fernet-keys/0 36h', does: 'for keys that are rotated daily' },
  ],
  prepare({ operands: [path = '', age = ''] }) {
    return fileAgeQuestion({ path, maxAgeMs: ageOf(age) }, `file-age ${path}`);
  },
});

function ageOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new UsageError(`file-age: ${messageOf(cause)}`, { cause });
  }
}

export interface FileAgeQuery {
  readonly path: string;
  /** Maximum age of the file's last modification. */
  readonly maxAgeMs: number;
}

/**
 * Checks that a file was modified recently.
 * @param subject the check as the user wrote it, which is the prefix of every message
 * @param now current time in ms since the epoch
 */
export function fileAgeQuestion({ path, maxAgeMs }: FileAgeQuery, subject: string, now = Date.now): Question {
  return {
    subject,
    hosts: [],
    ask: () => Promise.resolve(look(path, maxAgeMs, now)),
  };
}

function look(path: string, maxAgeMs: number, now: () => number): CheckResult {
  try {
    const ageMs = now() - statSync(path).mtimeMs;
    // Otherwise a file written before the clock was set back would count as recent for as long as the clock was set
    // back.
    if (ageMs < -maxAgeMs)
      return unhealthy(`${path} has a modification time ${formatDuration(-ageMs)} in the future: check the clocks`);
    const text = `${path} was written ${formatDuration(Math.max(0, ageMs))} ago`;
    return ageMs <= maxAgeMs
      ? healthyAs(text)
      : unhealthy(`${text}, more than the maximum of ${formatDuration(maxAgeMs)}`);
  } catch (error) {
    return unhealthy(messageOf(error));
  }
}
