import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?\|/;
const LINE = /^\S{23}Z?\|(?<sequence>\d+)\|(?<module>[^\s|]+)\|(?<log_level>[^\s|]+)\|(?<Payload>.*)$/s;

/**
 * Open vSwitch and OVN: `2026-11-20T08:15:42.123Z|00012|bridge|INFO|text`. Has no Timestamp field, as in Kolla: a
 * server that sees this format first would map it as a date and reject documents of oslo.log.
 */
export function openvswitch(): Format {
  return shaped({
    name: 'openvswitch',
    begins: BEGINS,
    time: (line, clock) =>
      BEGINS.test(line) ? clock.zoned(line.charAt(23) === 'Z' ? line : `${line.slice(0, 23)}Z`) : NaN,
    parse: (text) => (BEGINS.test(text) ? groupsOf(LINE, text) : undefined),
  });
}
