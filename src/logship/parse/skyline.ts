import { groupsOf, requestFields, shaped, type Fields, type Format } from './format.ts';

const LINE =
  /^\[(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?<zone>[+-]\d{4})\]\.(?<fraction>\d{3}) (?<Pid>\d+) (?<log_level>[A-Z]+) \[-\] ?(?<Payload>.*)$/s;
/** Of loguru, in Skyline's own log. */
const OWN =
  /^(?<Timestamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \| (?<log_level>[A-Z]+) *\| (?<python_module>[^\s:]+):(?<function>[^\s:]+):(?<line>\d+) - ?(?<Payload>.*)$/s;
const BEGINS =
  /^(?:\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}\]\.\d{3} \d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| [A-Z])/;
const REQUEST = /^(?<client>\S+):(?<client_port>\d+) - "(?<request>[^"]*)" (?<status>\d{3})$/;
const TRACEBACK = 'Traceback (most recent call last):';

/**
 * Skyline's gunicorn, with kolla-ansible's settings: `[2026-11-20 08:15:42 +0000].123 7 INFO [-] text`, and its own log:
 * `2026-11-20 08:15:42.123 | INFO     | module:function:12 - text`. Lines without such a prefix, such as a traceback,
 * belong to the previous event. A request is in the payload; fields are added to it.
 */
export function skyline(): Format {
  return {
    ...shaped({
      name: 'skyline',
      begins: BEGINS,
      time(line, clock) {
        const groups = groupsOf(LINE, line);
        return groups === undefined ? clock.local(line) : clock.zoned(line.slice(1)) + Number(groups['fraction']);
      },
      parse(text): Fields | undefined {
        const groups = groupsOf(LINE, text);
        if (groups === undefined) return groupsOf(OWN, text);
        const { time, zone, fraction, ...rest } = groups;
        const fields: Fields = { Timestamp: `${time}.${fraction} ${zone}`, ...rest };
        const request = groupsOf(REQUEST, rest['Payload'] ?? '');
        if (request === undefined) return fields;
        return {
          ...fields,
          client: request['client'] ?? '',
          client_port: Number(request['client_port']),
          ...requestFields(request['request'] ?? ''),
          status: Number(request['status']),
        };
      },
    }),
    stackTrace(text) {
      const at = text.indexOf(`\n${TRACEBACK}`);
      return at === -1 ? undefined : text.slice(at + 1);
    },
  };
}
