import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/;
const LINE =
  /^(?<Timestamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+(?:[+-]\d\d:\d\d)?) \[(?<log_level>\w+)\] ?(?<Payload>.*)$/s;

/** RabbitMQ: `2026-11-20 08:15:42.123456+00:00 [info] <0.9.0> text`. */
export function rabbitmq(): Format {
  return shaped({
    name: 'rabbitmq',
    begins: BEGINS,
    time: (line, clock) => clock.zoned(line),
    parse: (text) => groupsOf(LINE, text),
  });
}
