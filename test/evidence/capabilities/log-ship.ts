import { EVERY, type Capability } from '../row.ts';
import { LOG_SHIP_FAULTS } from './log-ship-faults.ts';

export const logShip: Capability = {
  name: 'log-ship',
  title: 'Every line once',
  rows: [
    {
      point:
        'found: globs, new directories and files within a second, excludes, 500 files; never its own state or what is compressed',
      file: 'test/logship/read/discover.test.ts',
      test: EVERY,
    },
    {
      point: 'chokidar only wakes it up: that no watch is left is said once, and polling goes on',
      file: 'test/logship/read/wake.test.ts',
      test: EVERY,
    },
    {
      point:
        'renames, several between looks, copytruncate, truncate and regrow, delete and recreate, a writer that keeps the old file, split characters, NUL, CRLF: all lines once',
      file: 'test/logship/read/cases.test.ts',
      test: /^our reader: /,
      least: 21,
    },
    {
      point: 'the same table over tail-file: what it loses, by name',
      file: 'test/logship/read/cases.test.ts',
      test: /^tail-file fails: /,
      least: 7,
    },
    {
      point:
        'copytruncate live and while away: the unread tail comes from FILE.1; where that is compressed, it is counted and said',
      file: 'test/logship/read/rotation.test.ts',
      test: EVERY,
    },
    {
      point:
        'lines over the cap are cut at a character and counted, also over a restart in their middle; 10 MB lines are whole below it',
      file: 'test/logship/read/follow.test.ts',
      test: [
        'a line over the limit is truncated, counted, and the next one is whole',
        'a line longer than any buffer is truncated at a character, also across a restart',
        'a ten megabyte line below the limit is whole',
      ],
      least: 3,
    },
    {
      point: 'ids do not depend on when we looked; equal first lines are told apart as far as their bytes differ',
      file: 'test/logship/read/generation.test.ts',
      test: EVERY,
    },
    {
      point: 'the checkpoint holds only the acknowledged mark',
      file: 'test/logship/read/progress.test.ts',
      test: EVERY,
    },
    {
      point: 'the checkpoint is written atomically; a damaged one is set aside, what cannot be written is said',
      file: 'test/logship/state/checkpoint.test.ts',
      test: EVERY,
    },
    {
      point: 'writes, rotations, stops and kills by chance, judged as an index would: 100 seeds, 0 lost, 0 doubled',
      file: 'test/logship/read/model.test.ts',
      test: /: seed \d+$/,
      least: 100,
    },
    {
      point: 'a traceback is one event: of several workers that write at once each has its own, also with an instance',
      file: 'test/logship/event/framer.test.ts',
      test: [
        "a traceback's lines join their record",
        'separates interleaved events of several workers',
        'an instance before a traceback line is no context',
        'uwsgi: a traceback is one event, up to its exception',
        'a traceback line too far away in the file is a separate event',
        'a traceback split by a rotation is one event, acknowledged in both files',
      ],
    },
    {
      point: 'a traceback that lies half in the rotated file is one event, acknowledged in both',
      file: 'test/logship/event/framer.test.ts',
      test: [
        'a traceback split by a rotation is one event, acknowledged in both files',
        'late lines of a rotated file do not join a continued event',
      ],
    },
    {
      point: 'an event ends 1,000 lines or 1 MiB after it began, or when its file was quiet; what is held is counted',
      file: 'test/logship/event/framer.test.ts',
      test: [
        /an event has at most .+ lines; further ones are separate events/,
        'an event is at most 1 MiB long',
        'held bytes are counted, and released',
        'a quiet file ends its events after the timeout, and not before',
        'cuts are made once a second, for all files together',
      ],
    },
    {
      point:
        'killed anywhere, in 1,200 worlds of interleaved workers, rotations and timeouts: each line is indexed once',
      file: 'test/logship/event/again.test.ts',
      test: /: killed anywhere and resumed from its checkpoint, each line is indexed once$/,
    },
    {
      point: 'from every mark the same events are found, with the same places, texts and times',
      file: 'test/logship/event/again.test.ts',
      test: /: from every mark the same events are found/,
    },
    {
      point: 'without its cuts in the checkpoint the same would lose lines',
      file: 'test/logship/event/again.test.ts',
      test: 'without its cuts the same run would lose lines',
    },
    {
      point: 'where cuts can’t be written nothing is sent',
      file: 'test/logship/cuts.test.ts',
      test: 'nothing is sent after a cut while the checkpoint cannot be written',
    },
    {
      point: 'every format of Kolla, to its field names: 24 OpenStack services, uwsgi, Apache, MariaDB, RabbitMQ, ...',
      file: 'test/logship/parse/formats.test.ts',
      test: EVERY,
    },
    {
      point: 'hostile bytes: what is read is what was written, nothing is left out, and no line takes long',
      file: 'test/logship/parse/hostile.test.ts',
      test: ["reads oslo.log's output with hostile words and texts", EVERY],
    },
    {
      point: 'the time is the line’s, with its zone where it has one: DST, leap seconds',
      file: 'test/logship/parse/time.test.ts',
      test: EVERY,
    },
    {
      point: 'a year that is not told is the nearest',
      file: 'test/logship/parse/formats.test.ts',
      test: 'a time without a year is the nearest one, also across the new year',
    },
    {
      point: 'an undated line takes the last dated one’s time',
      file: 'test/logship/event/framer.test.ts',
      test: 'an undated event has the time of the previous dated one, whichever is sent first',
    },
    {
      point: 'a line whose time can’t be read is whole, and marked',
      file: 'test/logship/parse/document.test.ts',
      test: [
        'a line without a timestamp is the payload as a whole, takes the last time, and is marked',
        'a line with an impossible timestamp is the payload as a whole, and is marked',
      ],
    },
    {
      point: '--schema kolla, ecs and raw; pod, namespace, node, container and labels in each document',
      file: 'test/logship/command.test.ts',
      test: 'each schema, labels and a format by glob show in the documents',
    },
    {
      point:
        'per item: 201 and 409 are done, 429 and 5xx are sent again alone, 400 is a dead letter with its reason, 413 halves',
      file: 'test/logship/send/deliver.test.ts',
      test: [
        'only documents with 429 are sent again',
        'documents that are already indexed are settled, and counted separately',
        'rejected documents are in the dead-letter file with their reasons; the others are indexed',
        'a request that is too large is halved until it fits, and later ones are smaller',
        "a single document larger than the server's limit is a dead letter",
      ],
      least: 5,
    },
    {
      point: '401, 403 and 404, cut connections, replies that break off and a page of another service hold everything',
      file: 'test/logship/send/deliver.test.ts',
      test: [
        /^40[134] delays everything until it is fixed/,
        'if nothing at all is accepted that is an outage, even if rejected item by item',
        'a server that closes connections is retried until it responds',
        'a truncated reply settles nothing, whatever its start',
        "another service's page, with 200, delays everything",
      ],
      least: 7,
    },
    {
      point: 'a closed index, and a letter that no disk takes, wait apart: the others go past them',
      file: 'test/logship/send/deliver.test.ts',
      test: [
        'documents that the dead-letter file cannot take are retried, and others overtake them',
        'documents of a closed index wait, and are no outage: the others overtake them',
      ],
      least: 2,
    },
    {
      point: 'dead letters have a limit; what is written over is counted and said',
      file: 'test/logship/send/dead-letter.test.ts',
      test: EVERY,
    },
    {
      point: 'a server that has too much to do gets one request at a time',
      file: 'test/logship/send/outbox.test.ts',
      test: 'an overloaded server gets one request at a time, and two again when it keeps up',
    },
    {
      point: '… and of fewer bytes',
      file: 'test/logship/send/deliver.test.ts',
      test: 'requests become smaller while the server is overloaded, and larger afterwards',
    },
    {
      point:
        'several destinations, each with its own mark: one that is down holds no other up, and their order may change',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'an unavailable destination does not block others, and is reported separately',
        'in another order each destination resumes at its own offset',
        'printing existing lines takes nothing away from the server',
        'a probe reads the first checkpoint, others are named after their destination',
      ],
      least: 4,
    },
    {
      point: 'memory: reading stops at a server that stalls, and at the budget; then every line is in once',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'a stalled server: reading stops, rotations are still noticed, and then every line is indexed once',
        'documents that wait separately fill at most the budget, and are all indexed once accepted',
      ],
      least: 2,
    },
    {
      point: 'several hosts, passwords and API keys read again on change, CA and client certificate, gzip, proxies',
      file: 'test/logship/sink/server.test.ts',
      test: EVERY,
    },
    {
      point: 'credentials reach the server that they are for, and stand in no URL',
      file: 'test/logship/sink/destinations.test.ts',
      test: EVERY,
    },
    {
      point: 'stdout: back-pressure, an end within the grace, and no last line twice after a stop',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'stdout without a reader: a stop ends after the grace period, and the rest is read again on the next start',
        'an unterminated last line is printed on a stop, and not again',
        'a permanent failure stops the others too, after they have shipped existing lines',
      ],
      least: 3,
    },
    {
      point: 'nothing that a link, pipe or device in the log volume leads to is shipped or written',
      file: 'test/logship/hostile.test.ts',
      test: EVERY,
    },
    ...LOG_SHIP_FAULTS,
  ],
};
