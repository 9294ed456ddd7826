import { tests, type Point } from './point.ts';

const event = (file: string, names?: string) => tests(`test/logship/event/${file}.test.ts`, names);
const parse = (file: string, names?: string) => tests(`test/logship/parse/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

/** From lines to events, and from events to documents. */
export const LOG_SHIP_EVENTS: readonly Point[] = [
  {
    point: 'a traceback is one event: of several workers that write at once each has its own, also with an instance',
    command: event('framer', 'traceback|workers|instance'),
    match: /✔ of several workers that write at once each has its own/,
  },
  {
    point: 'a traceback that lies half in the rotated file is one event, acknowledged in both',
    command: event('framer', 'rotated'),
    match: /✔ a traceback that lies half in the rotated file is one event, acknowledged in both/,
  },
  {
    point: 'an event ends 1,000 lines or 1 MiB after it began, or when its file was quiet; what is held is counted',
    command: event('framer', 'at most|quiet|counted|once a second'),
    match: NO_FAILURE,
  },
  {
    point: 'killed anywhere, in 1,200 worlds of interleaved workers, rotations and timeouts: each line is indexed once',
    command: event('again', 'killed anywhere'),
    match: /✔ oslo: killed anywhere and read again from its checkpoint, each line is indexed once/,
  },
  {
    point: 'from every mark the same events are found, with the same places, texts and times',
    command: event('again', 'every mark'),
    match: NO_FAILURE,
  },
  {
    point: 'without its cuts in the checkpoint the same would lose lines; where they can’t be written nothing is sent',
    command: `${event('again', 'without its cuts')} test/logship/cuts.test.ts`,
    match: /✔ without its cuts the same would lose lines/,
  },
  {
    point: 'every format of Kolla, to its field names: 24 OpenStack services, uwsgi, Apache, MariaDB, RabbitMQ, ...',
    command: parse('formats'),
    match: NO_FAILURE,
  },
  {
    point: 'hostile bytes: what is read is what was written, nothing is left out, and no line takes long',
    command: parse('hostile'),
    match: /✔ what oslo.log writes is read as it was written, with hostile words and texts/,
  },
  {
    point: 'the time is the line’s, with its zone where it has one: DST, leap seconds, years that are not told',
    command: `${parse('time')} test/logship/parse/formats.test.ts`,
    match: NO_FAILURE,
  },
  {
    point: 'an undated line takes the last dated one’s time; one that can’t be read is whole, and marked',
    command: `${parse('document', 'time|whole')} test/logship/event/framer.test.ts`,
    match: /✔ a line without a time is whole in its payload, takes the last time, and is marked/,
  },
  {
    point: '--schema kolla, ecs and raw; pod, namespace, node, container and labels in each document',
    command: tests('test/logship/command.test.ts', 'each schema'),
    match: /✔ each schema, labels and a format by glob show in the documents/,
  },
];
