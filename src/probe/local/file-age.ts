import { stat } from 'node:fs/promises';
import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Question } from '../check.ts';
import { healthyAs, unhealthy } from '../verdict.ts';

export interface FileAgeQuery {
  readonly path: string;
  /** It must have been written since. */
  readonly maxAgeMs: number;
}

/**
 * Whether a file was written lately.
 * @param subject as the user wrote it; begins every message
 * @param now in ms since 1970
 */
export function fileAgeQuestion({ path, maxAgeMs }: FileAgeQuery, subject: string, now = Date.now): Question {
  return {
    subject,
    hosts: [],
    async ask() {
      try {
        const ageMs = now() - (await stat(path)).mtimeMs;
        // Else one that was written before the clock was set back would count as young for as long as that.
        if (ageMs < -maxAgeMs)
          return unhealthy(`${path} will have been written in ${formatDuration(-ageMs)}: see the clocks`);
        const text = `${path} was written ${formatDuration(Math.max(0, ageMs))} ago`;
        return ageMs <= maxAgeMs ? healthyAs(text) : unhealthy(`${text}, and may be ${formatDuration(maxAgeMs)} old`);
      } catch (error) {
        return unhealthy(messageOf(error));
      }
    },
  };
}
