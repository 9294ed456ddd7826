import { shaped, type Format } from './format.ts';

/** Any file: each line an event, whole. A line that begins with a date and a time has them. */
export function whole(): Format {
  return shaped({ name: 'whole', time: (line, clock) => clock.zoned(line), parse: (text) => ({ Payload: text }) });
}
