import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { KOLLA_SERVICES } from '../../src/catalog/kolla-services.ts';
import { FORMATS, kindOf, type FormatName } from '../../src/logship/formats/index.ts';
import { Lags, shippingFamilies } from '../../src/logship/serve/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { startHelper } from '../support/helper.ts';
import { freePort } from '../../tools/port.ts';
import { listenHttp } from '../support/server.ts';
import { DOCUMENTED_LINES } from './documented-lines.ts';
import { oneDocument } from './one-document.ts';
import { destination, file } from './serve/states.ts';
import { allCreated } from '../support/bulk-reply.ts';

const readPage = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = await readPage('reference/kolla-log-ship.md');
const migration = await readPage('how-to/migration-fluentd.md');

const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');

/** About when the documented lines were written. */
const LINES_MS = Date.UTC(2026, 10, 20, 8, 15);
const DAY_MS = 86_400_000;

/** What a file's document has whatever its lines contain. */
const OF_THE_FILE = new Set(['@timestamp', 'Logger', 'kubernetes']);

function documentOf(name: string, line: string) {
  const formats = [{ glob: '/**', format: name as FormatName }];
  return oneDocument('/logs/infra/x.log', line, { formats, nearMs: LINES_MS });
}

for (const [name, lines] of Object.entries(DOCUMENTED_LINES)) {
  test(`the page lists the fields of ${name}`, () => {
    const row = new RegExp(`^\\| \`${name}\` \\|[^|]*\\| (.*) \\|$`, 'm').exec(page)?.[1] ?? '';
    const fields = new Set<string>();
    for (const line of lines) {
      const { fields: found } = documentOf(name, line);
      assert.equal(found['parse_error'], undefined, line);
      for (const [field, value] of Object.entries(found)) {
        // The file's own host and program are not of the line.
        const isOfLine = !OF_THE_FILE.has(field) && !(field === 'Hostname' && value === 'c1');
        if (isOfLine && !(field === 'programname' && value === 'x')) fields.add(field);
      }
    }
    assert.deepEqual(words(row).toSorted(), [...fields].toSorted());
  });
}

for (const [name, lines] of Object.entries(DOCUMENTED_LINES))
  test(`${name}: the time of a line is read`, () => {
    const days = lines.map((line) => Math.abs(documentOf(name, line).timeMs - LINES_MS) / DAY_MS);
    assert.ok(
      days.every((day) => day < 1),
      days.join(', '),
    );
  });

for (const [name, { files }] of Object.entries(FORMATS)) {
  test(`the page lists the directories of ${name}`, () => {
    const listed = new RegExp(`^\\| \`${name}\` \\| ([^|]*) \\|`, 'm').exec(page)?.[1] ?? '';
    const directories = files.flatMap(({ directory = [] }) => directory);
    const own = words(listed).flatMap((path) => /^([a-z]+)\//.exec(path)?.[1] ?? []);
    assert.deepEqual(new Set(own), new Set(directories));
  });
}

test('the page has the number of services whose files are oslo.log', () => {
  const formats = Object.keys(KOLLA_SERVICES).map((name) => kindOf(`/l/${name}/x.log`, '/l', []).format);
  const count = formats.filter((format) => format === 'oslo').length;
  assert.ok(page.includes(`\`SERVICE/*.log\` of ${count} OpenStack services`), `${count}`);
});

test('the page lists every format', () => assert.deepEqual(Object.keys(DOCUMENTED_LINES), Object.keys(FORMATS)));

const pipelines = () => [destination({ fileStates: () => [file()] })];
const side = () => ({ reclaimed: 1, syslog: { received: 1, lost: 0, dropped: 0 } });

function metrics(): string[] {
  using lags = new Lags(pipelines);
  return shippingFamilies({ pipelines, side }, lags).map(({ name }) => name);
}

test('the reference lists exactly the existing metrics', async () => {
  const reference = await readPage('reference/metrics.md');
  const listed = [...reference.matchAll(/^\| `(kolla_log_ship_\w+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(listed.toSorted(), metrics().toSorted());
});

test('prose names only existing metrics', () => {
  const known = new Set(metrics());
  const named = [...`${page}${migration}`.matchAll(/kolla_log_ship_[a-z_]*[a-z]/g)].map(([name]) => name);
  assert.ok(named.length >= 2);
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
});

/** The command lines on a page, from its shell blocks and the `command` of its containers. */
function commandsIn(markdown: string): string[][] {
  const blocks = [...markdown.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const joined = blocks.join('').replaceAll(/\\\n\s*/g, ' ');
  const shell = [...joined.matchAll(/^kolla-log-ship (?!setup)[^#\n]*/gm)].map(([line]) => line.trim().split(/ +/));
  const containers = [...markdown.matchAll(/^ +command: (\[kolla-log-ship.*\])$/gm)].map(
    ([, list = '']) => load(list) as string[],
  );
  return [...shell, ...containers];
}

for (const command of [...commandsIn(page), ...commandsIn(migration)]) {
  test(`the example ships a line: ${command.join(' ')}`, async () => {
    await using directory = await privateDirectory('page');
    const logs = join(directory.path, 'logs');
    await mkdir(join(logs, 'nova'), { recursive: true });
    await writeFile(join(directory.path, 'password'), 'hidden\n');
    const line = '2026-11-20 08:15:42.123 7 INFO nova [-] the line\n';
    const log = join(logs, 'nova/nova-api.log');
    const isLater = command.includes('end');
    await writeFile(log, isLater ? '' : line);
    let requests = 0;
    let shipped = () => {};
    const servers = command.filter((word) => word.includes('://') && !word.startsWith('udp')).length;
    const all = new Promise<void>((resolve) => (shipped = resolve));
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      if (body.includes('the line') && ++requests === servers) shipped();
      response.end(allCreated(body));
    };
    await using server = await listenHttp((request, response) => void take(request, response));
    const syslog = await freePort();
    const args = command.slice(1).map((word) =>
      word
        .replace('/var/log/kolla', logs)
        .replace(/https:\/\/\w+:9200/, `http://127.0.0.1:${server.port}`)
        .replace('/run/secrets/es/password', join(directory.path, 'password'))
        .replace(':5140', `:${syslog}`),
    );
    const env = { KOLLA_LOG_SHIP_ROOT: logs };
    await using shipper = await startHelper('kolla-log-ship', args, { keepOutput: true, cwd: logs, env });
    const out = text(shipper.child.stdout!);
    let said = '';
    for await (const chunk of shipper.child.stderr!.setEncoding('utf8') as AsyncIterable<string>) {
      const before = said;
      said += chunk;
      if (!said.includes('"shipping ') || before.includes('"shipping ')) continue;
      if (isLater) await writeFile(log, line, { flag: 'a' });
      if (command.includes('--once')) continue;
      void all.then(() => shipper.child.kill('SIGTERM'));
    }
    assert.equal(await shipper.ended, 0, said);
    assert.doesNotMatch(said, /hidden/);
    if (command.includes('--once')) assert.match(await out, /the line/);
    else assert.equal(requests, servers);
  });
}
