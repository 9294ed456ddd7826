import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../../src/logship/time/clock.ts';
import { embeddedTime } from '../../../src/logship/parse/embedded-time.ts';
import { EventParser } from '../../../src/logship/parse/document.ts';
import { FORMATS, type FormatName } from '../../../src/logship/parse/formats.ts';
import { Oslo } from '../../../src/logship/parse/oslo.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';
import { numbersFrom } from '../../support/random.ts';

const random = numbersFrom(9);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;

const PIECES = [
  ' ',
  '[',
  ']',
  '-',
  '"',
  '\\',
  '\0',
  '\t',
  '\r',
  '\u001b[31m',
  'é',
  '日本',
  '😀',
  '\ufffd',
  'req-',
  'None',
  ':',
  '.',
  '/',
  '{',
  '}',
  '%',
  '\n',
  'x',
  '7',
  '\u2028',
  '=',
  '|',
  '<',
  '>',
  '[instance: 1f] ',
];
const text = (pieces: number) => Array.from({ length: random(pieces) }, () => pick(PIECES)).join('');
/** Text without characters that end a word. */
const word = () => text(6).replaceAll(/[\s[\]\0-\x20]/g, '') || 'w';

/** Every character of the line must be in a value, in order, except for separators between fields. */
function holdsAll(line: string, values: readonly string[], between: RegExp): boolean {
  let at = 0;
  for (const value of values) {
    const found = line.indexOf(value, at);
    if (found === -1 || line.slice(at, found).replaceAll(between, '') !== '') return false;
    at = found + value.length;
  }
  return line.slice(at).replaceAll(between, '') === '';
}

test("reads oslo.log's output with hostile words and texts", () => {
  const format = new Oslo();
  for (let n = 0; n < 5000; n++) {
    const head = {
      Timestamp: `2026-11-20 08:15:${10 + random(50)}${pick(['.', ','])}${100 + random(900)}`,
      Pid: String(random(100_000)),
      log_level: pick(['INFO', 'ERROR', 'TRACE', 'WARNING']),
      python_module: word(),
    };
    const ids = Object.fromEntries(
      ['user_id', 'tenant_id', 'domain_id', 'system_scope', 'user_domain', 'project_domain'].map((name) => [
        name,
        word(),
      ]),
    );
    const hasGlobal = random(2) === 0;
    const requests = { ...(hasGlobal ? { global_request_id: word() } : {}), request_id: word() };
    const Payload = text(30).replace(/^ /, '');
    const context = `[${hasGlobal ? `req-${requests.global_request_id}` : 'None'} req-${requests.request_id} ${Object.values(ids).join(' ')}]`;
    const line = `${Object.values(head).join(' ')} ${context} ${Payload}`;
    assert.deepEqual(format.parse(line), { ...head, ...requests, ...ids, Payload }, JSON.stringify(line));
  }
});

test('the fast path to JSON gives the same result as the slow one', () => {
  const format = new Oslo();
  let taken = 0;
  for (let n = 0; n < 5000; n++) {
    const line = `2026-11-20 08:15:42.${100 + random(900)} ${random(99)} INFO m ${pick(['', '[-] ', '[None req-1 a b c d e f] ', '[req-2 req-1 a b c d e f]'])}${n % 2 === 0 ? text(20) : 'plain é 日本'}`;
    const json = format.json(line, '{', '}');
    if (json === undefined) continue;
    taken++;
    assert.deepEqual(JSON.parse(json), format.parse(line), JSON.stringify(line));
  }
  assert.ok(taken > 2500);
});

test('no byte of an oslo line is lost', () => {
  const format = new Oslo();
  for (let n = 0; n < 5000; n++) {
    const line = `2026-11-20 08:15:42.123 7 ERROR m ${text(40)}`;
    const values = Object.values(format.parse(line) ?? {}).map(String);
    assert.ok(holdsAll(line, values, /[ [\]]|req-|None/g), JSON.stringify(line));
  }
});

const LINES: Readonly<Record<Exclude<FormatName, 'oslo'>, string>> = {
  uwsgi: '[pid: 1|app: 0|req: 3/17] a () {5 vars in 10 bytes} [Fri Nov 20 08:15:42 2026] ',
  'apache-access': '10.0.0.5 - - [20/Nov/2026:08:15:42 +0000] "GET / HTTP/1.1" 304 0 ',
  'apache-error': '2026-11-20 08:15:42.123456 ',
  mariadb: '2026-11-20  8:15:42 37 [Note] ',
  xinetd: '26/11/20@8:15:42: ',
  rabbitmq: '2026-11-20 08:15:42.123456+00:00 [info] ',
  libvirt: '2026-11-20 08:15:42.123+0000: 7: error : ',
  openvswitch: '2026-11-20T08:15:42.123Z|00012|bridge|INFO|',
  lego: '2026/11/20 08:15:42 [INFO] ',
  valkey: '7:M 20 Nov 2026 08:15:42.123 * ',
  haproxy: '<134>1 2026-11-20T08:15:42.500Z node haproxy 21 - - ',
  skyline: '[2026-11-20 08:15:42 +0000].123 7 INFO [-] ',
  syslog: '<134>1 2026-11-20T08:15:42.500Z node haproxy 21 - - ',
  whole: '',
};

for (const [name, head] of Object.entries(LINES)) {
  test(`${name}: a hostile remainder of a line is entirely in the payload, in every schema`, () => {
    const formats = [{ glob: '/**', format: name as FormatName }];
    const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
    const options = { root: '/l', origin, zone: zoneNamed('UTC'), formats };
    for (const schema of ['kolla', 'ecs', 'raw'] as const) {
      const parser = new EventParser('/l/a/b.log', { ...options, schema });
      for (let n = 0; n < 300; n++) {
        const rest = `x${text(40)}`;
        const { source } = parser.parse({ text: head + rest, timeMs: 0, isDated: true });
        const { Payload, message, 'error.stack_trace': trace = '' } = JSON.parse(source) as Record<string, string>;
        assert.ok(`${Payload ?? message}${trace}`.endsWith(rest), JSON.stringify(rest));
        assert.equal(source.includes('\n'), false);
      }
    }
  });
}

// With quadratic backtracking this would take hours.
test('no expression is slow on any line', () => {
  const clock = new Clock(zoneNamed('UTC'));
  for (const make of Object.values(FORMATS)) {
    const format = make();
    for (const unit of [
      'a=b ',
      'a="b" ',
      'a',
      ' ',
      '"',
      '\\"',
      '- ',
      '[',
      '1/',
      '{',
      '} ',
      '(',
      ':',
      '1',
      '. ',
      'a, ',
      '<1>',
    ]) {
      for (const head of ['', LINES[format.name as keyof typeof LINES]]) {
        const line = `${head}${unit.repeat((1024 * 1024) / unit.length)}`;
        format.place(line, undefined);
        format.parse(line);
        embeddedTime(line, clock, 0);
      }
    }
  }
});

for (const zone of ['UTC', 'Europe/Berlin', '-05:00', 'local'])
  test(`events with times at and beyond the limits have a timestamp, in ${zone}`, () => {
    const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
    const formats = [{ glob: '/**', format: 'syslog' }] as const;
    const parser = new EventParser('/logs/a.log', { root: '/logs', origin, zone: zoneNamed(zone), formats });
    let timeMs = 0;
    for (const time of [
      '1 +275760-09-13T00:00:00Z',
      'Dec 31 23:59:59',
      '1 -271821-04-20T00:00:00Z',
      'Jan  1 00:00:00',
    ]) {
      const line = `<13>${time} h p - - - x`;
      const ownMs = parser.timeOf(line, timeMs, NaN);
      timeMs = Number.isNaN(ownMs) ? timeMs : ownMs;
      assert.match(parser.parse({ text: line, timeMs, isDated: !Number.isNaN(ownMs) }).source, /"@timestamp":"[+-]/);
    }
  });
