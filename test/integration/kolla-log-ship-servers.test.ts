/** The same tests against each supported server; Elasticsearch 8 has separate files. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SearchServer } from '../cluster/search-server.ts';
import { fileLimit } from '../support/file-limit.ts';
import { runHelper } from '../support/helper.ts';
import {
  countOf,
  describeEach,
  inIndex,
  line,
  lines,
  openSite,
  shipOnce,
  startShipper,
  told,
  traceback,
  type ServerKind,
} from './kolla-log-ship-servers-support.ts';
import { ELASTICSEARCH_9_KIND, OPENSEARCH_2_KIND, OPENSEARCH_3_KIND, SECURE_OPENSEARCH_3_KIND } from './log-servers.ts';

/** Four servers run one after the other. */
fileLimit(30);

interface Kind extends ServerKind {
  /** Whether it supports data streams. */
  readonly hasDataStreams: boolean;
  /** The feature that retention needs and this server lacks. */
  readonly lacks: RegExp;
}

const ISM = /needs Index State Management, which opensearch at .* does not have/;
const KINDS: readonly Kind[] = [
  {
    ...ELASTICSEARCH_9_KIND,
    hasDataStreams: false,
    lacks: /needs Index Lifecycle Management, which elasticsearch at .* does not have/,
  },
  ...[OPENSEARCH_3_KIND, SECURE_OPENSEARCH_3_KIND, OPENSEARCH_2_KIND].map((kind) => ({
    ...kind,
    hasDataStreams: true,
    lacks: ISM,
  })),
];

/** One label would be a value, and the other an object with the same name. */
const LABELS = ['--label', 'app=keystone', '--label', 'app.kubernetes.io/name=keystone'];
const ACCESS = '10.0.0.1 - - [20/Nov/2026:08:15:42 +0000] "GET /v3 HTTP/1.1" 200 42 1234 "-" "curl/8"\n';

await describeEach(KINDS, (server, kind) => {
  test('a template is created once, applies to new indices, and all fields of the overview can be aggregated', async () => {
    await using site = await openSite(server, 'flog');
    const setup = (...more: string[]) => runHelper('kolla-log-ship', ['setup', ...site.to, '--replicas', '0', ...more]);
    const dry = await setup('--dry-run');
    assert.match(dry.stdout, /^would create index template flog /, dry.stderr);
    assert.equal((await server.request('GET', '/_index_template/flog')).status, 404);
    const made = await setup();
    assert.match(made.stdout, /^created index template flog /, made.stderr);
    assert.match((await setup()).stdout, /^unchanged index template flog /);
    assert.match((await setup('--shards', '2')).stdout, /^updated index template flog /);
    assert.match((await setup('--shards', '2')).stdout, /^unchanged index template flog /);
    const lacking = await setup('--keep', '14d');
    assert.equal(lacking.code, 69, lacking.stdout);
    assert.match(lacking.stderr, kind.lacks);

    writeFileSync(site.file, lines(0, 3));
    assert.equal((await shipOnce(site, ...LABELS))['acknowledged'], 3, 'labels that would clash as objects do not');
    assert.deepEqual(await notCountable(server, site.index), []);
    const [hit] = await server.search(site.index, { query: { match_phrase: { Payload: 'line 2' } } });
    assert.equal(hit?._index, 'flog-2026.11.20');
  });

  test('the same with ECS field names', async () => {
    await using site = await openSite(server, 'ecs');
    const ecs = ['--schema', 'ecs', '--index-prefix', site.prefix];
    const made = await runHelper('kolla-log-ship', ['setup', ...site.to, ...ecs, '--replicas', '0']);
    assert.match(made.stdout, /^created index template ecs /, made.stderr);
    writeFileSync(site.file, lines(0, 3) + traceback(3));
    writeFileSync(join(site.directory, 'keystone/apache-access.log'), ACCESS);
    assert.equal((await shipOnce(site, '--schema', 'ecs', ...LABELS))['acknowledged'], 5);
    assert.deepEqual(await notCountable(server, site.index, ...ecs), []);
  });

  test('killed under load and restarted: 2,000 lines and a traceback are indexed once', async () => {
    await using site = await openSite(server, 'once');
    writeFileSync(site.file, lines(0, 1000));
    {
      await using shipper = await startShipper(site, site.to);
      await countOf(server, site.index, 1);
      appendFileSync(site.file, traceback(1000) + lines(1001, 2001));
      shipper.running.child.kill('SIGKILL');
      await shipper.running.ended;
    }
    await shipOnce(site);
    assert.deepEqual(await inIndex(server, site.index), { documents: 2001, distinct: 2001 });
    const traces = await server.search(site.index, { query: { match_phrase: { Payload: 'ValueError: bad' } } });
    assert.deepEqual(
      traces.map(({ _source: source }) => /^line \d+\n.*Traceback/.exec(String(source['Payload']))?.[0].slice(0, 9)),
      ['line 1000'],
    );
    writeFileSync(join(site.state, 'checkpoint.json'), 'torn');
    const { already } = await shipOnce(site);
    assert.equal(already, 2001, 'each was refused with 409, as it is in');
    assert.deepEqual(await inIndex(server, site.index), { documents: 2001, distinct: 2001 });
  });

  test('a line that its index rejects is a dead letter, with the reason', async () => {
    await using site = await openSite(server, 'poison');
    await told(server, 'PUT', `/${site.day}`, { mappings: { properties: { Pid: { type: 'integer' } } } });
    writeFileSync(site.file, lines(0, 10) + line(10, '99999999999') + lines(11, 20));
    const { rejected } = await shipOnce(site);
    assert.equal(rejected, 1);
    assert.deepEqual(await inIndex(server, site.index), { documents: 19, distinct: 19 });
    const letters = readFileSync(join(site.state, 'dead-letter.jsonl'), 'utf8').trimEnd().split('\n');
    const [letter] = letters.map((text) => JSON.parse(text) as { reason: string });
    assert.equal(letters.length, 1);
    assert.match(letter?.reason ?? '', /parsing_exception.*Pid/);
  });

  test('a closed index and a full-disk block delay lines, and lose none', async () => {
    await using site = await openSite(server, 'held');
    await using shipper = await startShipper(site, site.to);
    writeFileSync(site.file, lines(0, 10));
    await countOf(server, site.index, 10);
    await told(server, 'POST', `/${site.day}/_close`);
    appendFileSync(site.file, lines(10, 20));
    await shipper.says(/does not accept writes.*index_closed_exception/);
    await told(server, 'POST', `/${site.day}/_open`);
    await countOf(server, site.index, 20);

    const block = async (is: true | null): Promise<void> => {
      await told(server, 'PUT', `/${site.day}/_settings`, { 'index.blocks.read_only_allow_delete': is });
    };
    await block(true);
    appendFileSync(site.file, lines(20, 30));
    await shipper.says(/does not accept writes.*cluster_block_exception/);
    await block(null);
    await countOf(server, site.index, 30);
    assert.equal(await shipper.running.stop(), 0, shipper.log());
    assert.deepEqual(await inIndex(server, site.index), { documents: 30, distinct: 30 });
  });

  const noStreams = kind.hasDataStreams ? false : 'the distribution for tests has no data streams';
  test('a data stream receives each line once', { skip: noStreams }, async () => {
    await using site = await openSite(server, 'unused');
    const stream = ['--data-stream', 'logs-openstack-default'];
    const made = await runHelper('kolla-log-ship', ['setup', ...site.to, ...stream, '--replicas', '0']);
    assert.match(made.stdout, /^created index template logs-openstack-default /, made.stderr);
    writeFileSync(site.file, lines(0, 100));
    await shipOnce(site, ...stream);
    writeFileSync(join(site.state, 'checkpoint.json'), 'torn');
    assert.equal((await shipOnce(site, ...stream))['already'], 100);
    assert.deepEqual(await inIndex(server, 'logs-openstack-default'), { documents: 100, distinct: 100 });
  });
});

/** Fields of the overview that the server cannot aggregate. */
async function notCountable(server: SearchServer, index: string, ...schema: readonly string[]): Promise<string[]> {
  const { stdout } = await runHelper('kolla-log-ship', ['setup', '--saved-objects', 'dashboards', ...schema]);
  const fields = [...stdout.matchAll(/\\"field\\":\\"([^\\]+)\\"/g)].map(([, field = '']) => field);
  assert.ok(fields.length > 5, stdout);
  const { fields: caps } = (await told(server, 'GET', `/${index}/_field_caps?fields=${fields.join()}`)) as {
    fields: Record<string, Record<string, { aggregatable: boolean }>>;
  };
  return fields.filter((field) => !Object.values(caps[field] ?? {}).some(({ aggregatable }) => aggregatable));
}
