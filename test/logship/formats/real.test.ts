/**
 * Lines that servers of Kolla's images have really written, each with its document: starts, refused logins, failed checks, elections and
 * crashes, in a network namespace of their own. The fixture has the server's version, the file as Kolla names it, the lines of one event
 * and the document in Kolla's schema.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { formatRules } from '../../../src/logship/formats/options.ts';
import { FileFormat } from '../../../src/logship/formats/parser.ts';
import { LineRole } from '../../../src/logship/tables/scanner.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper } from '../../support/helper.ts';
import { oneDocument } from '../one-document.ts';

type Document = Readonly<Record<string, unknown>>;
type Row = readonly [server: string, file: string, text: string, document: Document];

const ROWS = readFileSync(new URL('fixtures/real.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const FILES = Map.groupBy(ROWS, ([, file]) => file);
const RULES = ['nova/*.log=json', 'etcd/*.log=json', 'rabbitmq/rabbit-json.log=json'];
/** The day of all lines, for those without a year. */
const NEAR_MS = Date.UTC(2026, 10, 29);
const FIRST_ROLES: ReadonlySet<LineRole> = new Set([LineRole.alone, LineRole.begins]);

for (const [file, rows] of FILES)
  test(`${rows[0]![0]}: each line of ${file} has its place, and each event its document`, () => {
    const formats = formatRules(RULES, '/logs');
    const origin = { hostname: 'c1', pod: undefined, namespace: undefined, node: undefined };
    using format = new FileFormat(`/logs/${file}`, { root: '/logs', origin, zone: zoneTableNamed('UTC'), formats });
    for (const [, , text, { '@timestamp': time, ...wanted }] of rows) {
      const [first = '', ...others] = text.split('\n').map((line) => Buffer.from(line));
      const place = (line: Buffer, last?: Buffer) => format.table.place(line, NaN, NEAR_MS, last).role;
      assert.ok(FIRST_ROLES.has(place(Buffer.from(first))), text);
      for (const line of others) assert.equal(place(line, Buffer.from(first)), LineRole.follows, line.toString());
      const { fields, timeMs } = oneDocument(`/logs/${file}`, text, { formats, nearMs: NEAR_MS });
      const { '@timestamp': _, ...found } = fields;
      assert.deepEqual(found, wanted, text);
      assert.equal(found['parse_error'], undefined, text);
      // A signal handler of Open vSwitch, and a raw line of valkey.
      assert.equal(Number.isNaN(timeMs), /^SIG|^===/.test(text), text);
      if (!Number.isNaN(timeMs)) assert.equal(new Date(timeMs).toISOString(), time, text);
    }
  });

test('kolla-log-ship makes the same documents of the files', async () => {
  await using directory = await privateDirectory('real');
  for (const [file, rows] of FILES) {
    const path = join(directory.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, rows.map(([, , text]) => `${text}\n`).join(''));
  }
  const formats = RULES.flatMap((rule) => ['--format', rule]);
  for (const [file, rows] of FILES) {
    const args = ['--once', '--root', directory.path, '--timezone', 'UTC', '--hostname', 'c1', ...formats];
    const { code, stdout, stderr } = await runHelper('kolla-log-ship', [...args, join(directory.path, file)]);
    assert.equal(code, 0, stderr);
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Document);
    // The year of HAProxy's lines is that of the test.
    const yearless = (document: Document) =>
      file.startsWith('haproxy/') ? { ...document, '@timestamp': String(document['@timestamp']).slice(4) } : document;
    assert.deepEqual(
      found.map(yearless),
      rows.map(([, , , document]) => yearless(document)),
      file,
    );
  }
});
