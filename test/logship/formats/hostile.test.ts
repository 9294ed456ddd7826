import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, type FormatName } from '../../../src/logship/formats/index.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { numbersFrom } from '../../support/random.ts';
import { documentOf } from './documents.ts';

const random = numbersFrom(9);
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
].concat(['.', '/', '{', '}', '%', '\n', 'x', '7', '\u2028', '=', '|', '<', '>', '[instance: 1f] ']);
const text = (pieces: number) => Array.from({ length: random(pieces) }, () => PIECES[random(PIECES.length)]!).join('');

/** The start of a line of each format, up to its text. */
const HEADS: Readonly<Record<FormatName, string>> = {
  oslo: '2026-11-20 08:15:42.123 7 INFO m ',
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
  json: '{"message": 1',
  whole: '',
};

function formatOf(name: FormatName, schema: 'kolla' | 'ecs' | 'raw'): FileFormat {
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const formats = [{ glob: '/**', format: name }];
  return new FileFormat('/l/a/b.log', { root: '/l', origin, zone: zoneTableNamed('UTC'), schema, formats });
}

for (const [name, head] of Object.entries(HEADS) as [FormatName, string][]) {
  test(`${name}: a hostile remainder of a line is entirely in the payload, in every schema`, () => {
    for (const schema of ['kolla', 'ecs', 'raw'] as const) {
      using format = formatOf(name, schema);
      for (let n = 0; n < 300; n++) {
        const rest = `x${text(40)}`;
        const {
          Payload,
          message,
          'error.stack_trace': trace = '',
        } = documentOf(format, head + rest, 0) as Record<string, string>;
        assert.ok(`${Payload ?? message}${trace}`.endsWith(rest), JSON.stringify(rest));
      }
    }
  });

  test(`${name}: bytes that are no UTF-8 become U+FFFD, as in a decoder`, () => {
    using format = formatOf(name, 'kolla');
    for (let n = 0; n < 200; n++) {
      const bytes = Buffer.concat([
        Buffer.from(`${head}x`),
        Buffer.from(Array.from({ length: 20 }, () => 128 + random(128))),
      ]);
      const { Payload = '' } = documentOf(format, bytes, 0) as Record<string, string>;
      assert.ok(bytes.toString().endsWith(Payload));
      assert.ok(Payload.length > 1);
    }
  });
}

// With quadratic backtracking this would take hours.
test('no format is slow on any line', () => {
  const units = [
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
    '[a]',
    '{"a":',
  ];
  for (const [name, head] of Object.entries(HEADS) as [FormatName, string][]) {
    using format = formatOf(name, 'kolla');
    for (const unit of units)
      for (const start of ['', head]) {
        const line = Buffer.from(`${start}${unit.repeat((256 * 1024) / unit.length)}`);
        format.table.place(line, NaN, 0, undefined);
      }
  }
});

test('every format has one table that can be compiled, whose name is its own', () => {
  for (const [name, { table }] of Object.entries(FORMATS)) assert.equal(table.name, name);
});
