import { parseDuration } from '../../core/duration.ts';
import { UsageError, messageOf } from '../../core/errors.ts';
import { check } from '../check.ts';
import { fileAgeQuestion } from '../local/index.ts';

/** Was a file written lately? For a service that touches one as its sign of life. */
export const fileAge = check({
  word: 'file-age',
  summary: 'Was a file written lately?',
  operands: [
    { name: 'FILE', help: 'what the service writes as it works' },
    { name: 'AGE', help: 'the most that may have passed since: 90s' },
  ],
  options: [],
  examples: [
    { line: 'kolla-probe file-age /run/heartbeat 90s', does: 'healthy while it is touched every minute' },
    { line: 'kolla-probe file-age /etc/keystone/fernet-keys/0 36h', does: 'keys are rotated daily' },
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
