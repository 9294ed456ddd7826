import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FORMATS, type FormatName } from '../../../src/logship/formats/index.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { documentOf } from './documents.ts';

/*
 * The documents of the parsers before tables, which were regular expressions over strings, for sample lines of every format and for lines
 * with mutations. Every line here has the same role, process, time and documents. Of 31,056 lines, most of them mutated, 96 had not, no
 * sample among them. These are the causes:
 *
 * - `date pid LEVEL module` at the end of an oslo line with further lines: it was unreadable, and is parsed now.
 * - A request of Skyline with further lines was not split into fields, and is now.
 * - A request line without protocol had the ECS field http.version "undefined", and has none now.
 * - February 29 of RFC 3164 stayed in the payload, and does not any more.
 * - RFC 5424 is read as it is specified: a time without a zone, or that JavaScript's Date understands otherwise (`1 2 3`, years beyond
 *   9999), is none.
 * - A dot without digits after the seconds ends a time, so that a zone behind it does not count.
 * - Zones beyond 14 hours are no zones, in all formats. So libvirt's and RabbitMQ's lines with one are unreadable.
 * - Fractions of any length, with a comma or a dot, and zones with and without a colon, are read where the format has one.
 * - An access line whose user contains ` [`, or has no ident, is unreadable: choices are not taken back.
 * - A number is decimal: a syslog process `.1` or `0x1` is null in ECS.
 * - U+00A0, U+2028 and other spaces beyond ASCII are parts of words.
 * - A valkey level beyond ASCII is no level.
 * - A user or address of unlimited length is read.
 * - The time of a HAProxy connection after a quote is none: a client may have chosen it. One line here has lost its time so.
 * - The seconds in a line of valkey's signal handler are its time.
 */

type Fields = Readonly<Record<string, unknown>>;
type Sample = readonly [FormatName, string, number, number, number | null, Fields, Fields | 0];

const SAMPLES = readFileSync(new URL('fixtures/today.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Sample);
const NEAR_MS = Date.UTC(2026, 10, 21);
/** What all documents have in common, and the fixture does not contain. */
const KOLLA = { Hostname: 'h', Logger: 'openstack.a' };
const ECS = { 'ecs.version': '8.17.0', 'host.name': 'h', 'service.type': 'openstack.a' };

for (const name of Object.keys(FORMATS) as FormatName[]) {
  const samples = SAMPLES.filter(([format]) => format === name);
  // JSON lines are new.
  if (name === 'json') continue;
  test(`${name}: ${samples.length} lines have the documents of the parsers before`, () => {
    assert.ok(samples.length > 40);
    const path = `/l/a/${name}.log`;
    const options = {
      root: '/l',
      origin: { hostname: 'h', pod: undefined, namespace: undefined, node: undefined },
      zone: zoneTableNamed('+01:00'),
      formats: [{ glob: '/**', format: name }],
    };
    using kolla = new FileFormat(path, options);
    using ecs = new FileFormat(path, { ...options, schema: 'ecs' });
    for (const [, text, role, pid, time, kollaFields, ecsFields] of samples) {
      const [line = ''] = text.split('\n');
      const placed = kolla.table.place(Buffer.from(line), NaN, NEAR_MS, undefined);
      assert.deepEqual(
        {
          role: placed.role,
          pid: role === 1 ? placed.pid : 0,
          time: Number.isNaN(placed.timeMs) ? null : placed.timeMs,
        },
        { role, pid, time },
        line,
      );
      const timeMs = time ?? 0;
      const stamp = { '@timestamp': new Date(timeMs).toISOString() };
      assert.deepEqual(
        documentOf(kolla, text, timeMs),
        { ...stamp, ...KOLLA, programname: name, ...kollaFields },
        line,
      );
      if (ecsFields === 0) continue;
      const named: Fields = { 'service.name': name, 'event.dataset': name, 'log.file.path': path };
      assert.deepEqual(documentOf(ecs, text, timeMs), { ...stamp, ...ECS, ...named, ...ecsFields }, line);
    }
  });
}

test('documents are JSON, too, if their line names all that is known of the file', () => {
  for (const [name, text] of SAMPLES)
    for (const schema of ['kolla', 'ecs', 'raw'] as const) {
      // Files of infrastructure have no logger.
      using format = new FileFormat('/l/syslog/a.log', {
        root: '/l',
        origin: { hostname: 'h', pod: undefined, namespace: undefined, node: undefined },
        zone: zoneTableNamed('+01:00'),
        formats: [{ glob: '/**', format: name }],
        schema,
      });
      assert.doesNotThrow(() => documentOf(format, text, NEAR_MS), `${schema}: ${text}`);
    }
});
