import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}: /;
const LINE =
  /^(?<Timestamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}): (?<Pid>\d+): (?<log_level>\S+) : ?(?<Payload>.*)$/s;

/** libvirt: `2026-11-20 08:15:42.123+0000: 7: error : function:12 : text`. */
export function libvirt(): Format {
  return shaped({
    name: 'libvirt',
    begins: BEGINS,
    time: (line, clock) => clock.zoned(line),
    parse: (text) => groupsOf(LINE, text),
  });
}
