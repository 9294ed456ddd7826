/** The times of lines, and so their daily indices, on a real Elasticsearch. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { sharedElasticsearch, type SharedElasticsearch } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper, startHelper, type HelperOptions } from '../support/helper.ts';
import { databaseName } from '../support/names.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const YESTERDAY = new URL('../logship/fixtures/yesterday.ts', import.meta.url).href;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '.');

describe('times of lines on Elasticsearch', { skip: (await canRunElasticsearch()) ?? false }, () => {
  let server: SharedElasticsearch;
  before(async () => (server = await sharedElasticsearch()));
  after(() => server[Symbol.asyncDispose]());

  async function once(args: readonly string[], options: HelperOptions = {}): Promise<void> {
    const { code, stderr } = await runHelper('kolla-log-ship', ['--once', ...args], options);
    assert.equal(code, 0, stderr);
  }

  /** A log root, and an index prefix that no other test uses. */
  async function site(files: Readonly<Record<string, string>>) {
    const directory = await privateDirectory('times');
    const prefix = databaseName('times').replaceAll('_', '-');
    const at = (file: string) => join(directory.path, file);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(at(file)), { recursive: true });
      await writeFile(at(file), text);
    }
    const args = ['--root', directory.path, '--url', server.url, '--index-prefix', prefix];
    return {
      at,
      args,
      prefix,
      checkpoint: at('.kolla-log-ship/checkpoint.json'),
      ship: (...more: string[]) => once([...args, ...more]),
      /** Index without its prefix, and time, by payload. */
      async found(): Promise<Map<string, { readonly day: string; readonly time: string }>> {
        await server.refresh();
        const hits = await server.search(`${prefix}-*`, { size: 1000 });
        return new Map(
          hits.map(({ _index: index, _source: source }) => [
            String(source['Payload']),
            { day: index.slice(prefix.length + 1), time: String(source['@timestamp']) },
          ]),
        );
      },
      [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
    };
  }

  test('lines without a time that are sent again on the next day are in the server once', async () => {
    await using s = await site({ 'horizon/dnsmasq.log': 'one\ntwo\nthree\n' });
    // Node runs the same sources, and its clock can be set.
    await once(s.args, { fromSource: true, env: { NODE_OPTIONS: `--import=${YESTERDAY}` } });
    const first = await s.found();
    assert.equal(first.size, 3);
    for (const { time } of first.values()) assert.ok(Date.parse(time) < Date.now() - DAY_MS, time);
    // The state before the first response, as after a SIGKILL.
    const checkpoint = async () =>
      JSON.parse(await readFile(s.checkpoint, 'utf8')) as {
        files: { mark: { offset: number }; trail: { points: unknown[] } }[];
      };
    const saved = await checkpoint();
    saved.files[0]!.mark.offset = 0;
    saved.files[0]!.trail.points = [];
    await writeFile(s.checkpoint, JSON.stringify(saved));
    const yesterday = new Date(Date.now() - DAY_MS);
    for (const file of [s.checkpoint, s.at('horizon/dnsmasq.log')]) await utimes(file, yesterday, yesterday);
    await using _ = await startHelper('kolla-log-ship', s.args);
    const earliestMs = Date.now();
    await until('the shipper to run', async () =>
      (await checkpoint()).files[0]?.mark.offset === 14 ? true : undefined,
    );
    await appendFile(s.at('horizon/dnsmasq.log'), 'four\n');
    await until('the new line', async () => ((await server.count(`${s.prefix}-*`)) >= 4 ? true : undefined));
    assert.equal(await server.count(`${s.prefix}-*`), 4);
    const all = await s.found();
    for (const [payload, { day }] of first) assert.equal(all.get(payload)?.day, day);
    const { day = '', time = '' } = all.get('four') ?? {};
    assert.ok(Date.parse(time) >= earliestMs, time);
    assert.equal(day, dayOf(Date.parse(time)));
  });

  test("lines through the end of Berlin's summer time rise, also in a second run and in the next file", async () => {
    const line = (time: string) => `2026-10-25 ${time} 7 INFO keystone [-] ${time} `;
    await using s = await site({ 'keystone/keystone.log': '' });
    const runs = [
      [line('01:59:00.000') + 'a', line('02:30:00.000') + 'b', line('02:59:59.000') + 'c'],
      [line('02:00:00.000') + 'd', line('02:30:00.000') + 'e'],
    ];
    for (const lines of runs) {
      await appendFile(s.at('keystone/keystone.log'), `${lines.join('\n')}\n`);
      await s.ship('--timezone', 'Europe/Berlin');
    }
    await rename(s.at('keystone/keystone.log'), s.at('keystone/keystone.log.1'));
    await writeFile(s.at('keystone/keystone.log'), `${line('02:40:00.000')}f\n`);
    await s.ship('--timezone', 'Europe/Berlin');
    const times = [...(await s.found())].map(([payload, { time }]) => `${payload.slice(-1)} ${time.slice(11, 19)}`);
    assert.deepEqual(times.toSorted(), [
      'a 23:59:00',
      'b 00:30:00',
      'c 00:59:59',
      'd 01:00:00',
      'e 01:30:00',
      'f 01:40:00',
    ]);
  });

  test("each of the programs next to OpenStack has its lines in their own day's index", async () => {
    const lines = {
      'prometheus/prometheus-node-exporter.log': 'time=2026-11-03T08:15:42.123Z level=INFO msg=exporter',
      'etcd/etcd.log': '{"level":"info","ts":"2026-11-04T08:15:42.123456Z","msg":"etcd"}',
      'grafana/grafana.log': 'logger=settings t=2026-11-05T08:15:42.123Z level=info msg=grafana',
      'opensearch/opensearch.log': '[2026-11-06T08:15:42,123][INFO ][o.o.n.Node] opensearch',
      'keepalived/keepalived.log': 'Sat Nov  7 08:15:42 2026: keepalived',
      'fluentd/fluentd.log': '2026-11-08 00:15:42 +0200 [info]: fluentd',
      'skyline/skyline-error.log': '[2026-11-09 08:15:42 +0000].123 7 INFO [-] skyline',
    };
    await using s = await site(Object.fromEntries(Object.entries(lines).map(([file, text]) => [file, `${text}\n`])));
    await s.ship('--timezone', 'UTC');
    const days = [...(await s.found()).values()].map(({ day }) => day).toSorted();
    assert.deepEqual(
      days,
      ['03', '04', '05', '06', '07', '07', '09'].map((day) => `2026.11.${day}`),
    );
  });
});
