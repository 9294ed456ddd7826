import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MAX_BYTES, MAX_LINES, REACH_BYTES } from '../../../src/logship/event/event.ts';
import { Framer } from '../../../src/logship/event/framer.ts';
import type { Mark } from '../../../src/logship/position/progress.ts';
import { sentBefore, UndatedTimes, type UndatedFrom } from '../../../src/logship/position/undated.ts';
import { content, framing, SEEN_MS } from './framing.ts';

const AT = '2026-11-20 08:15:42.123';
const record = (pid: number, text: string, at = AT) => `${at} ${pid} ERROR nova.compute [-] ${text}`;
const trace = (pid: number, text: string, at = AT) => `${at} ${pid} ERROR nova.compute ${text}`;

test("a traceback's lines join their record", () => {
  const f = framing();
  const log = content('oslo');
  const first = [
    record(7, 'Failed: E: no'),
    trace(7, 'Traceback (most recent call last):'),
    trace(7, '  File "a.py", line 1'),
    trace(7, 'E: no'),
    trace(7, ''),
  ];
  f.take(log, ...first, record(7, 'next'));
  assert.deepEqual(f.texts(), [first.join('\n')]);
  assert.equal(f.events[0]?.lines, 5);
});

test('separates interleaved events of several workers', () => {
  const f = framing();
  f.take(
    content('oslo'),
    record(7, 'a'),
    record(8, 'b'),
    trace(7, 'Traceback'),
    trace(8, 'Traceback'),
    trace(8, 'E: b'),
    trace(7, 'E: a'),
  );
  f.framer.cut();
  assert.deepEqual(f.texts(), [
    [record(7, 'a'), trace(7, 'Traceback'), trace(7, 'E: a')].join('\n'),
    [record(8, 'b'), trace(8, 'Traceback'), trace(8, 'E: b')].join('\n'),
  ]);
});

test('an instance before a traceback line is not a context', () => {
  const f = framing();
  const lines = [record(7, '[instance: 1f] a'), trace(7, '[instance: 1f] Traceback (most recent call last):')];
  f.take(content('oslo'), ...lines);
  f.framer.cut();
  assert.deepEqual(f.texts(), [lines.join('\n')]);
});

test('another time, module or process starts another event, and so does a context', () => {
  for (const other of [
    trace(7, 'Traceback', '2026-11-20 08:15:42.124'),
    trace(8, 'Traceback'),
    `${AT} 7 ERROR nova.api Traceback`,
    `${AT} 7 INFO nova.compute Traceback`,
    record(7, 'b'),
    `${AT} 7 ERROR nova.compute [None req-1 - - - - - -] b`,
  ]) {
    const f = framing();
    f.take(content('oslo'), record(7, 'a'), other);
    f.framer.cut();
    assert.deepEqual(f.texts(), [record(7, 'a'), other], other);
  }
});

test('a line without a prefix belongs to the event written last, of any process', () => {
  const f = framing();
  f.take(content('oslo'), record(7, 'a'), record(8, 'b'), 'more', '', 'and more', record(9, 'c'));
  f.framer.cut();
  assert.deepEqual(f.texts(), [record(7, 'a'), `${record(8, 'b')}\nmore\n\nand more`, record(9, 'c')]);
});

test('a line without a previous event is an event by itself', () => {
  const f = framing();
  f.take(content('oslo'), 'one', 'two', record(7, 'a'), 'three');
  f.framer.cut();
  assert.deepEqual(f.texts(), ['one', 'two', `${record(7, 'a')}\nthree`]);
});

test('a carriage return before the newline is not part of the text', () => {
  const f = framing();
  f.take(content('whole'), 'one\r', '\r', 'a\rb');
  assert.deepEqual(f.texts(), ['one', '', 'a\rb']);
});

for (const [format, first, rest] of [
  [
    'mariadb',
    '2026-11-20  8:15:42 7 [ERROR] mysqld got signal 11 ;',
    ['Thread pointer: 0x0', '', '/usr/sbin/mariadbd(x+0x1)[0x2]'],
  ],
  ['rabbitmq', '2026-11-20 08:15:42.123456+00:00 [error] <0.9.0> crash', ['    in function x/1', '', '{a,b}']],
  ['libvirt', '2026-11-20 08:15:42.123+0000: 7: error : f:1 : x', ['more']],
  ['openvswitch', '2026-11-20T08:15:42.123Z|00012|bridge|INFO|x', ['  more']],
  ['lego', '2026/11/20 08:15:42 [INFO] x', ['more']],
  ['xinetd', '26/11/20@08:15:42: START: x', ['more']],
  ['valkey', '7:M 20 Nov 2026 08:15:42.123 * x', ['', '=== REPORT ===']],
  ['apache-error', '2026-11-20 08:15:42.123456 x', ['  File "a.py"']],
] as const) {
  test(`${format}: a line that does not start an event belongs to the previous one`, () => {
    const f = framing();
    const log = content(format);
    f.take(log, 'before', first, ...rest, first, first);
    f.framer.cut();
    assert.deepEqual(f.texts(), ['before', [first, ...rest].join('\n'), first, first]);
  });
}

test('uwsgi: a traceback is one event, up to its exception', () => {
  const f = framing();
  const lines = ['Traceback (most recent call last):', '  File "a.py", line 1', '    x()', 'E: no'];
  f.take(content('uwsgi'), 'spawned worker', '  indented', ...lines, 'spawned again', ...lines, ...lines);
  f.framer.cut();
  const whole = lines.join('\n');
  assert.deepEqual(f.texts(), ['spawned worker', '  indented', whole, 'spawned again', whole, whole]);
});

for (const format of ['apache-access', 'haproxy', 'syslog', 'whole'] as const) {
  test(`${format}: each line is an event at once`, () => {
    const f = framing();
    f.take(content(format), 'one', '  two');
    assert.deepEqual(f.texts(), ['one', '  two']);
    assert.equal(f.held(), 0);
  });
}

test(`an event has at most ${MAX_LINES} lines; further ones are separate events`, () => {
  const f = framing();
  f.take(
    content('oslo'),
    record(7, 'a'),
    ...Array.from({ length: MAX_LINES + 1 }, (_, n) => `line ${n}`),
    record(7, 'b'),
  );
  f.framer.cut();
  assert.deepEqual(
    f.events.map(({ lines }) => lines),
    [MAX_LINES, 1, 1, 1],
  );
  assert.deepEqual(f.texts().slice(1), [`line ${MAX_LINES - 1}`, `line ${MAX_LINES}`, record(7, 'b')]);
});

test('an event is at most 1 MiB long', () => {
  const f = framing();
  const long = 'x'.repeat(MAX_BYTES / 4);
  f.take(content('oslo'), record(7, 'a'), long, long, long, long, long);
  f.framer.cut();
  assert.deepEqual(
    f.events.map(({ lines }) => lines),
    [4, 1, 1],
  );
});

test('a traceback line too far away in the file is a separate event', () => {
  const f = framing();
  const log = content('oslo');
  const others = Array.from({ length: REACH_BYTES / 64 }, () => record(8, 'x'.repeat(64)));
  f.take(log, record(7, 'a'), ...others, trace(7, 'Traceback'));
  f.framer.cut();
  assert.deepEqual(
    f.texts().filter((text) => !text.includes(' 8 ')),
    [record(7, 'a'), trace(7, 'Traceback')],
  );
});

test("an open event's bytes are counted as they are in the file, and released", () => {
  const f = framing();
  f.take(content('oslo'), record(7, 'é'), 'more');
  assert.equal(f.held(), Buffer.byteLength(`${record(7, 'é')}\nmore\n`));
  f.framer.cut();
  assert.equal(f.held(), 0);
});

test('a quiet file ends its events after the timeout, and not before', () => {
  const f = framing({ timeoutMs: 1000 });
  f.take(content('oslo'), record(7, 'a'));
  f.round(250);
  f.round(250);
  f.round(250);
  assert.deepEqual(f.texts(), []);
  f.round(500);
  assert.deepEqual(f.texts(), [record(7, 'a')]);
});

test('no event is cut while its file yields lines, however late they are read', () => {
  const f = framing({ timeoutMs: 1000 });
  const log = content('oslo');
  f.take(log, record(7, 'a'));
  f.round(60_000);
  f.take(log, record(8, 'b'));
  f.round(60_000);
  f.take(log, trace(7, 'Traceback'));
  f.round(60_000);
  assert.deepEqual(f.texts(), []);
});

test('a clock set back by a day does not delay events', () => {
  const f = framing({ timeoutMs: 1000 });
  f.take(content('oslo'), record(7, 'a'));
  f.round(0);
  f.round(-86_400_000);
  f.round(0);
  assert.deepEqual(f.texts(), [record(7, 'a')]);
});

test('cuts are made once per second, for all files together', () => {
  const f = framing({ timeoutMs: 100 });
  const [one, two] = [
    content('oslo', { path: '/logs/svc/1.log' }),
    content('oslo', { path: '/logs/svc/2.log', ino: 2 }),
  ];
  f.take(one, record(7, 'a'));
  f.round(200);
  f.round(200);
  assert.equal(f.framer.cuts, 1);
  f.take(two, record(7, 'b'));
  for (let n = 0; n < 4; n++) f.round(200);
  assert.equal(f.framer.cuts, 1);
  f.round(200);
  assert.equal(f.framer.cuts, 2);
});

test('an undated event has the time of the dated one that was read with it, otherwise that of reading', () => {
  const f = framing();
  const log = content('uwsgi', { mark: { offset: 0, skipping: false, timeMs: 5 } });
  f.take(log, 'undated', 'Fri Nov 20 08:15:42 2026 - *** Starting uWSGI ***', 'Traceback (most recent call last):');
  log.undated.caughtUp();
  f.round(1000);
  f.take(log, 'E: no', 'undated again');
  f.framer.cut();
  assert.deepEqual(
    f.events.map(({ timeMs, isDated }) => [timeMs, isDated]),
    [
      [1_000_000, false],
      [Date.UTC(2026, 10, 20, 8, 15, 42), true],
      [Date.UTC(2026, 10, 20, 8, 15, 42), false],
      [1_001_000, false],
    ],
  );
});

test('lines of the repeated hour have the second time in a second reading too', () => {
  const zone = 'Europe/Berlin';
  const times = ['01:59:59.900', '02:10:00.000', '02:59:59.000', '02:00:01.000', '02:10:00.000', '03:00:00.000'];
  const wanted = ['23:59:59.900', '00:10:00.000', '00:59:59.000', '01:00:01.000', '01:10:00.000', '02:00:00.000'];
  const lines = times.map((time, pid) => `2026-10-25 ${time} ${pid} INFO m [-] x`);
  const timesOf = (mark: Mark | undefined, rest: readonly string[]) => {
    const f = framing();
    f.take(content('oslo', { zone, ...(mark && { mark, isNew: false }) }), ...rest);
    f.framer.cut();
    return { utc: f.events.map(({ timeMs }) => new Date(timeMs).toISOString().slice(11, 23)), events: f.events };
  };
  const whole = timesOf(undefined, lines);
  assert.deepEqual(whole.utc, wanted);
  for (let at = 1; at < lines.length; at++) {
    const [span] = whole.events[at - 1]!.spans;
    assert.deepEqual(timesOf(span!.end, lines.slice(at)).utc, wanted.slice(at), `after ${at} lines`);
  }
});

test('a traceback split by a rotation is one event, acknowledged in both files', () => {
  const f = framing();
  const [old, log] = [content('oslo'), content('oslo', { ino: 2 })];
  f.take(old, record(7, 'a'), trace(7, 'Traceback'));
  f.take(log, trace(7, '  File "a.py"'), trace(7, 'E: a'), record(7, 'b'));
  assert.deepEqual(f.texts(), [
    [record(7, 'a'), trace(7, 'Traceback'), trace(7, '  File "a.py"'), trace(7, 'E: a')].join('\n'),
  ]);
  const [event] = f.events;
  assert.deepEqual(
    event?.spans.map(({ progress }) => progress),
    [old.progress, log.progress],
  );
  for (const span of event?.spans ?? []) span.progress.settle(span);
  assert.equal(log.progress.acknowledged.offset, trace(7, '  File "a.py"').length + trace(7, 'E: a').length + 2);
});

test('late lines of a rotated file do not join a continued event', () => {
  const f = framing();
  const [old, log] = [content('oslo'), content('oslo', { ino: 2 })];
  f.take(old, record(7, 'a'));
  f.take(log, 'more');
  f.take(old, 'late');
  f.take(log, 'and more', record(7, 'b'));
  f.framer.cut();
  assert.deepEqual(f.texts(), ['late', [record(7, 'a'), 'more', 'and more'].join('\n'), record(7, 'b')]);
});

test('a cut made unnecessary by the next line is dropped, so that a stalled mark does not grow the checkpoint', () => {
  const f = framing();
  const log = content('oslo');
  for (let nth = 0; nth < 100; nth++) {
    f.take(log, `2026-11-20 08:15:42.123 7 INFO nova [-] quiet ${nth}`);
    f.quiet();
  }
  assert.equal(f.events.length, 100);
  assert.equal(log.cuts.length, 1);
});

test('a cut is kept if a line arrived that would have joined the event', () => {
  const f = framing();
  const log = content('oslo');
  f.take(log, record(7, 'Failed: E: no'));
  f.quiet();
  f.take(log, trace(7, 'Traceback (most recent call last):'));
  f.quiet();
  f.take(log, record(7, 'next'));
  assert.equal(log.cuts.length, 1);
  const other = content('mariadb', { path: '/logs/mariadb/mariadb.log' });
  f.take(other, '2026-11-20  8:15:42 0 [Note] up');
  f.quiet();
  f.take(other, 'a dump', '2026-11-20  8:15:43 0 [Note] on');
  assert.equal(other.cuts.length, 1);
});

test('ever-changing file names do not accumulate in memory', async () => {
  const framer = new Framer({ emit() {}, held: { take() {}, give() {} }, timeoutMs: 1000, now: () => 0 });
  const line = Buffer.from(record(7, 'up'));
  const gone = Array.from({ length: 3000 }, (_, nth) => {
    const log = content('oslo', { path: `/logs/nova/${nth}.log` });
    framer.take(log, line, 0, line.length + 1, false);
    framer.cut();
    return new WeakRef(log);
  });
  setFlagsFromString('--expose-gc');
  // A dereferenced WeakRef target stays alive until the end of the turn: dereference only once, after the collection.
  await new Promise((resolve) => setImmediate(resolve));
  (runInNewContext('gc') as () => void)();
  assert.ok(gone.filter((log) => log.deref() !== undefined).length < 1500);
});

const utc = ({ timeMs }: { timeMs: number }) => new Date(timeMs).toISOString().slice(0, 19);

test('a time far ahead counts as none, one far behind only for its own line, and neither for a time without a year', () => {
  const f = framing();
  const lines = ['Nov 20 08:00:00 h a: 1', '2099-01-01 00:00:00 2', 'Nov 20 08:00:01 h a: 3', '1971-01-01 00:00:00 4'];
  f.take(content('whole'), ...lines, 'undated', 'Nov 20 08:00:02 h a: 5', 'Jan  1 00:00:00 h a: 6');
  const [first, third, fifth, sixth] = [
    '2026-11-20T08:00:00',
    '2026-11-20T08:00:01',
    '2026-11-20T08:00:02',
    '2027-01-01T00:00:00',
  ];
  assert.deepEqual(f.events.map(utc), [first, first, third, '1971-01-01T00:00:00', third, fifth, sixth]);
});

test('lines of an old log have their times, and a time without a year is near to theirs', () => {
  const f = framing();
  f.take(content('whole'), '2019-05-01 08:00:00 a', 'undated', 'May  2 08:00:00 h a: b', '2020-09-01 08:00:00 c');
  const [first, second, last] = ['2019-05-01T08:00:00', '2019-05-02T08:00:00', '2020-09-01T08:00:00'];
  assert.deepEqual(f.events.map(utc), [first, first, second, last]);
});

test('whenever lines with far times are read again, they have the same times', () => {
  const [silent, nowMs] = ['2026-11-20 08:00:00 a', Date.UTC(2027, 8, 1, 1)];
  const others = [
    '2027-09-01 00:00:00 b',
    'c',
    '2027-08-31 00:00:00 d',
    '1971-01-01 00:00:00 e',
    'f',
    '2099-01-01 00:00:00 g',
  ];
  const read = (lines: readonly string[], readMs: number, mark: Mark | undefined, saved: readonly UndatedFrom[]) => {
    const f = framing();
    f.clock.ms = readMs;
    const undated = new UndatedTimes(SEEN_MS, sentBefore({ from: saved, size: 0 }), () => {});
    const log = { ...content('whole', mark && { mark, isNew: false }), undated };
    for (const line of lines) {
      f.take(log, line);
      if (line === silent) undated.caughtUp();
    }
    return { f, undated };
  };
  const { f, undated } = read([silent, ...others], nowMs, undefined, []);
  const [back, last] = ['2027-09-01T01:00:00', '2027-08-31T00:00:00'];
  const wanted = ['2026-11-20T08:00:00', back, back, last, '1971-01-01T00:00:00', last, last];
  assert.deepEqual(f.events.map(utc), wanted);
  for (const [at, { spans }] of f.events.entries()) {
    const { end } = spans[0]!;
    const again = read(others.slice(at), nowMs + 300 * 86_400_000, end, structuredClone(undated.entries(end.offset)));
    assert.deepEqual(again.f.events.map(utc), wanted.slice(at + 1), `after ${at + 1} lines`);
  }
});
