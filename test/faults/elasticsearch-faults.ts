import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SearchServer } from '../cluster/search-server.ts';
import { runHelper } from '../support/helper.ts';
import { startHttpProxy, type HttpProxy } from '../support/http-proxy.ts';
import { randomFrom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { POWER_FAILURES } from './power-failure.ts';
import type { Destination, Fault } from './run.ts';
import { messageOf } from './site.ts';

/** One thread and one queue slot for writes: of three concurrent requests the third is rejected, item by item. */
export const ELASTICSEARCH_SETTINGS = { 'thread_pool.write.size': 1, 'thread_pool.write.queue_size': 1 };
/** Each batch becomes this many requests on the server and overflows the queue. */
const DAYS = 3;
const KILLS = 5;

/** The indexes of one run on a real server. */
export interface ElasticsearchDestination extends Destination {
  readonly server: SearchServer;
  /** The pattern of the indexes. */
  readonly index: string;
  /** Number of documents in the indexes. */
  count(): Promise<number>;
}

/** @param prefix prefix of the indexes, which is unique per run */
export function elasticsearchDestination(server: SearchServer, prefix: string): ElasticsearchDestination {
  const index = `${prefix}-*`;
  return {
    server,
    index,
    args: ['--url', server.url, '--index-prefix', prefix],
    count: () => server.count(index),
    messages: () => allMessages(server, index),
  };
}

/** Faults that require a real Elasticsearch. */
export const ELASTICSEARCH_FAULTS: readonly Fault<ElasticsearchDestination>[] = [
  {
    name: 'Elasticsearch: write queue of 1',
    writing: ({ events }) => ({ to: events, days: DAYS }),
    strike: async ({ written }) => await written(),
  },
  {
    name: 'Elasticsearch: SIGKILL at random under full load',
    writing: ({ events }) => ({ to: events, perSecond: 5000, workers: 8, tracebackEvery: 50 }),
    async strike({ seed, again, up, site }) {
      const random = randomFrom(seed);
      for (let nth = 0; nth < KILLS; nth++) {
        await up();
        await sleep(random() * 700);
        assert.equal(await again('SIGKILL'), 137, site.log());
      }
    },
  },
  {
    name: 'Elasticsearch: flood-stage block set and lifted',
    async strike({ written, outageMs }, to) {
      await until('the first documents', async () => ((await to.count()) > 0 ? true : undefined));
      await block(to, true);
      await written();
      await sleep(Math.min(outageMs, 2000));
      await block(to, null);
    },
  },
  ...POWER_FAILURES.map(({ name, ...others }) => ({ name: `Elasticsearch: ${name}`, ...others })),
];

/** A data stream of one run behind a proxy. */
export interface DataStreamDestination extends ElasticsearchDestination, AsyncDisposable {
  readonly proxy: HttpProxy;
}

/** @param name the data stream's, which is unique per run; it gets a template */
export async function dataStreamDestination(server: SearchServer, name: string): Promise<DataStreamDestination> {
  const stream = ['--data-stream', name];
  const setup = ['setup', '--to', server.kind, '--url', server.url, ...stream, '--replicas', '0'];
  const { code, stderr } = await runHelper('kolla-log-ship', setup);
  assert.equal(code, 0, stderr);
  const proxy = await startHttpProxy(Number(new URL(server.url).port));
  return {
    server,
    proxy,
    index: name,
    args: ['--to', server.kind, '--url', `http://127.0.0.1:${proxy.port}`, ...stream],
    count: () => server.count(name),
    messages: () => allMessages(server, name),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** A fraction of the requests is executed and not answered, and the data stream is rolled over before others. */
export const ROLLOVERS: Fault<DataStreamDestination> = {
  name: 'data stream: rollovers, lost answers and SIGKILL at random under full load',
  writing: ({ events }) => ({ to: events, perSecond: 5000, workers: 8, tracebackEvery: 50 }),
  async strike({ seed, again, up, site, written }, to) {
    const { server, index, proxy } = to;
    const random = randomFrom(seed);
    await until('the first documents', async () => ((await to.count()) > 0 ? true : undefined));
    const rollOver = async () => {
      const { status, body } = await server.request('POST', `/${index}/_rollover`);
      assert.equal(status, 200, JSON.stringify(body));
    };
    proxy.before = async ({ path }) => {
      if (random() < 0.05) await rollOver();
      return path.startsWith('/_bulk') && random() < 0.2 ? 'lose' : undefined;
    };
    for (let nth = 0; nth < KILLS; nth++) {
      await up();
      await sleep(random() * 700);
      assert.equal(await again('SIGKILL', { meanwhile: rollOver }), 137, site.log());
    }
    await written();
    proxy.before = undefined;
  },
};

/** Sets or removes the block that the server itself sets above the flood stage and removes below the high watermark. */
async function block({ server, index }: ElasticsearchDestination, is: true | null): Promise<void> {
  const settings = { 'index.blocks.read_only_allow_delete': is };
  const { status, body } = await server.request('PUT', `/${index}/_settings`, settings);
  assert.equal(status, 200, JSON.stringify(body));
}

/** The shortest interval of Elasticsearch's disk monitor. */
const DISK_LOOK_MS = 10_000;

/**
 * Lowers the watermarks below current disk usage: the server sets the block by itself and removes it once they are
 * raised again.
 */
export const FLOOD_STAGE: Fault<ElasticsearchDestination> = {
  name: 'Elasticsearch: disk above its flood stage, then below it',
  async strike({ written }, to) {
    await until('the first documents', async () => ((await to.count()) > 0 ? true : undefined));
    await watermarks(to, '1%', '1%', '1%');
    await until('the block', async () => await isBlocked(to, true));
    await written();
    await watermarks(to, '97%', '98%', '99%');
    await until('the block to be removed', async () => await isBlocked(to, false));
    await cluster(to, { 'cluster.routing.allocation.disk.threshold_enabled': false });
  },
};

/** Sets the watermarks of the disk. */
async function watermarks(to: ElasticsearchDestination, low: string, high: string, flood: string): Promise<void> {
  const disk = 'cluster.routing.allocation.disk';
  await cluster(to, {
    'cluster.info.update.interval': `${DISK_LOOK_MS}ms`,
    [`${disk}.threshold_enabled`]: true,
    [`${disk}.watermark.low`]: low,
    [`${disk}.watermark.high`]: high,
    [`${disk}.watermark.flood_stage`]: flood,
  });
}

async function cluster({ server }: ElasticsearchDestination, persistent: object): Promise<void> {
  const { status, body } = await server.request('PUT', '/_cluster/settings', { persistent });
  assert.equal(status, 200, JSON.stringify(body));
}

async function isBlocked({ server, index }: ElasticsearchDestination, wanted: boolean): Promise<true | undefined> {
  const { body } = await server.request('GET', `/${index}/_settings/index.blocks.read_only_allow_delete`);
  return JSON.stringify(body).includes('read_only_allow_delete') === wanted ? true : undefined;
}

interface Page {
  readonly _scroll_id: string;
  readonly hits: { readonly hits: readonly { readonly _source: Readonly<Record<string, unknown>> }[] };
}

const PAGE = 10_000;

async function allMessages(server: SearchServer, index: string): Promise<string[]> {
  await server.refresh();
  const messages: string[] = [];
  const ask = async (path: string, body: object): Promise<Page> => {
    const reply = await server.request('POST', path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body as Page;
  };
  const first = await ask(`/${index}/_search?scroll=1m`, { size: PAGE, sort: ['_doc'] });
  for (let page = first; page.hits.hits.length > 0;) {
    messages.push(...page.hits.hits.map(({ _source: source }) => messageOf(source)));
    const { _scroll_id: id } = page;
    page = await ask('/_search/scroll', { scroll: '1m', scroll_id: id });
  }
  return messages;
}
