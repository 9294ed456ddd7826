import type { Level, LineFormat } from '../../core/log.ts';
import { isoTime, localTime } from '../../core/local-time.ts';

const WORDS = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', error: 'ERROR' } as const satisfies Record<
  Level,
  string
>;

/** kubernetes-entrypoint's lines, without the place in its source. */
export const entrypointLine: LineFormat = (level, message, { stack }, now) => {
  const time = isoTime(localTime(now)).slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  const more = typeof stack === 'string' ? `\n${stack}` : '';
  return `Entrypoint ${WORDS[level]}: ${time} ${message}${more}\n`;
};

/** Where it puts them. */
export function streamOf(level: Level): 'stdout' | 'stderr' {
  return level === 'error' ? 'stderr' : 'stdout';
}
