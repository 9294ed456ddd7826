import { EVERY, type Capability } from '../row.ts';
import { LOG_SHIP_FAULTS } from './log-ship-faults.ts';

export const logShip: Capability = {
  name: 'log-ship',
  title: 'Every line once',
  rows: [
    {
      point:
        'discovery: globs, new directories and files within a second, excludes, 500 files; never its own state or compressed files',
      file: 'test/logship/read/discover.test.ts',
      test: EVERY,
    },
    {
      point: 'chokidar only triggers a poll: a lack of watches is logged once, and polling continues',
      file: 'test/logship/read/wake.test.ts',
      test: EVERY,
    },
    {
      point:
        'renames, several between two polls, copytruncate, truncate and regrow, delete and recreate, a writer that keeps the old file, split characters, CRLF: all lines once',
      file: 'test/logship/read/cases.test.ts',
      test: /^our reader: /,
      least: 20,
    },
    {
      point:
        'a file that a power failure, its owner or a restored snapshot has cut, while running and while stopped: its lines once, under the same ids, and what is lost counted',
      file: 'test/logship/read/cut.test.ts',
      test: EVERY,
    },
    {
      point: 'the same table with tail-file: its losses, by name',
      file: 'test/logship/read/cases.test.ts',
      test: /^tail-file fails: /,
      least: 7,
    },
    {
      point:
        'copytruncate while running and while stopped: the unread tail is read from FILE.1; if that is compressed, the loss is counted and logged',
      file: 'test/logship/read/rotation.test.ts',
      test: EVERY,
    },
    {
      point:
        'lines over the limit are cut at a character and counted, also across a restart within one; 10 MB lines below it are complete',
      file: 'test/logship/read/follow.test.ts',
      test: [
        'a line over the limit is truncated and counted, and the next one is read whole',
        'a line longer than any buffer is truncated at a character, even across a restart',
        'a ten megabyte line below the limit is read whole',
      ],
      least: 3,
    },
    {
      point: 'ids do not depend on the time of a poll; files with equal first lines are distinguished by later bytes',
      file: 'test/logship/read/generation.test.ts',
      test: EVERY,
    },
    {
      point: 'the checkpoint stores only the acknowledged mark',
      file: 'test/logship/read/progress.test.ts',
      test: EVERY,
    },
    {
      point: 'the checkpoint is written atomically; a damaged one is set aside, write errors are logged',
      file: 'test/logship/state/checkpoint.test.ts',
      test: EVERY,
    },
    {
      point: 'random writes, rotations, stops and kills, judged like an index: 100 seeds, 0 lost, 0 duplicated',
      file: 'test/logship/read/model.test.ts',
      test: /: seed \d+$/,
      least: 100,
    },
    {
      point: 'a traceback is one event, also if several workers write concurrently, and with an instance',
      file: 'test/logship/event/framer.test.ts',
      test: [
        "a traceback's lines join their record",
        'separates interleaved events of several workers',
        'an instance before a traceback line is not a context',
        'uwsgi: a traceback is one event, up to its exception',
        'a traceback line too far away in the file is a separate event',
        'a traceback split by a rotation is one event, acknowledged in both files',
      ],
    },
    {
      point: 'a traceback that starts in the rotated file is one event, acknowledged in both',
      file: 'test/logship/event/framer.test.ts',
      test: [
        'a traceback split by a rotation is one event, acknowledged in both files',
        'late lines of a rotated file do not join a continued event',
      ],
    },
    {
      point: 'an event ends after 1,000 lines, 1 MiB or a pause in its file; pending lines are counted',
      file: 'test/logship/event/framer.test.ts',
      test: [
        /an event has at most .+ lines; further ones are separate events/,
        'an event is at most 1 MiB long',
        "an open event's bytes are counted as they are in the file, and released",
        'a quiet file ends its events after the timeout, and not before',
        'cuts are made once per second, for all files together',
      ],
    },
    {
      point:
        'killed anywhere, in 1,200 simulations of interleaved workers, rotations and timeouts: each line is indexed once',
      file: 'test/logship/event/again.test.ts',
      test: /: killed anywhere and resumed from its checkpoint, each line is indexed once$/,
    },
    {
      point: 'from every mark the same events are found, with the same offsets, texts and times',
      file: 'test/logship/event/again.test.ts',
      test: /: from every mark the same events are found/,
    },
    {
      point: 'without the cuts in the checkpoint the same simulations lose lines',
      file: 'test/logship/event/again.test.ts',
      test: "without the checkpoint's cuts the same run would lose lines",
    },
    {
      point: 'if cuts cannot be written nothing is sent',
      file: 'test/logship/cuts.test.ts',
      test: 'nothing is sent after a cut while the checkpoint cannot be written',
    },
    {
      point:
        'every log format of Kolla, with its field names: 24 OpenStack services, uwsgi, Apache, MariaDB, RabbitMQ, ...',
      file: 'test/logship/parse/formats.test.ts',
      test: EVERY,
    },
    {
      point: 'hostile bytes: text is read as written, nothing is missing, and no line takes long',
      file: 'test/logship/parse/hostile.test.ts',
      test: ["reads oslo.log's output with hostile words and texts", EVERY],
    },
    {
      point: 'the time is the line’s, with its zone if it has one: DST, leap seconds',
      file: 'test/logship/parse/time.test.ts',
      test: EVERY,
    },
    {
      point: 'a missing year is the nearest',
      file: 'test/logship/parse/formats.test.ts',
      test: 'a time without a year is the nearest one, also across the new year',
    },
    {
      point: 'an undated line takes the time of the dated one that was read with it, otherwise that of reading',
      file: 'test/logship/event/framer.test.ts',
      test: 'an undated event has the time of the dated one that was read with it, otherwise that of reading',
    },
    {
      point: 'an undated line that is sent again on another day is in the server once',
      file: 'test/integration/kolla-log-ship-times.test.ts',
      test: 'lines without a time that are sent again on the next day are in the server once',
    },
    {
      point:
        'lines of the hour that the end of summer time repeats have their own times, over a restart and a rotation',
      file: 'test/integration/kolla-log-ship-times.test.ts',
      test: "lines through the end of Berlin's summer time rise, also in a second run and in the next file",
    },
    {
      point: 'Skyline: gunicorn, with one document per traceback',
      file: 'test/logship/parse/skyline.test.ts',
      test: 'each record of the error log is parsed, and a traceback is in its record',
    },
    {
      point: 'a line with an unreadable time is kept complete, and marked',
      file: 'test/logship/parse/document.test.ts',
      test: [
        'a line without a timestamp is entirely payload, takes the previous time, and is marked',
        'a line with an impossible timestamp is entirely payload, and is marked',
      ],
    },
    {
      point: '--schema kolla, ecs and raw; pod, namespace, node, container and labels in each document',
      file: 'test/logship/command.test.ts',
      test: 'each schema, labels and a format by glob show in the documents',
    },
    {
      point:
        'per item: 201 and 409 are done, only 429 and 5xx are retried, 400 is a dead letter with its reason, 413 halves the request',
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
      point: '401, 403 and 404, cut connections, truncated replies and a page of another service delay everything',
      file: 'test/logship/send/deliver.test.ts',
      test: [
        /^40[134] delays everything until it is fixed/,
        'if no item is accepted that is an outage, even if each is rejected individually',
        'a server that closes connections is retried until it responds',
        'a truncated reply settles nothing, whatever its start',
        "another service's page, with 200, delays everything",
      ],
      least: 7,
    },
    {
      point: 'a closed index, and a dead letter that cannot be written, do not delay the others',
      file: 'test/logship/send/deliver.test.ts',
      test: [
        'documents that the dead-letter file cannot take are retried, and others overtake them',
        'documents for a closed index wait, and are not an outage: others overtake them',
      ],
      least: 2,
    },
    {
      point: 'dead letters have a limit; overwritten ones are counted and logged',
      file: 'test/logship/send/dead-letter.test.ts',
      test: EVERY,
    },
    {
      point: 'an overloaded server gets one request at a time',
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
        'several destinations, each with its own mark: one that is down does not delay others, and their order may change',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'an unavailable destination does not block others, and is reported separately',
        'destinations given in another order each resume at their own offset',
        'printing existing lines does not affect delivery to the server',
        "the first destination's checkpoint has the name that a probe reads; the others are named after their destination",
      ],
      least: 4,
    },
    {
      point: 'memory: reading stops when the server stalls, and at the memory limit; then every line is indexed once',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'with a stalled server reading stops, rotations are still noticed, and later every line is indexed once',
        'documents that wait separately fill at most the budget, and are all indexed once accepted',
      ],
      least: 2,
    },
    {
      point: 'several hosts, passwords and API keys reloaded on change, CA and client certificate, gzip, proxies',
      file: 'test/logship/sink/server.test.ts',
      test: EVERY,
    },
    {
      point: 'credentials are sent only to their server, and are in no URL',
      file: 'test/logship/sink/destinations.test.ts',
      test: EVERY,
    },
    {
      point: 'stdout: backpressure, exit within the grace period, and no duplicate of the last line after a stop',
      file: 'test/logship/pipelines.test.ts',
      test: [
        'shutdown with a blocked stdout ends after the grace period, and the rest is read again on the next start',
        'an unterminated last line is printed on shutdown, and not again on the next start',
        'a permanent failure of one destination stops the others after they have shipped existing lines',
      ],
      least: 3,
    },
    {
      point: 'no target of a link, pipe or device in the log volume is shipped or written',
      file: 'test/logship/hostile.test.ts',
      test: EVERY,
    },
    ...LOG_SHIP_FAULTS,
  ],
};
