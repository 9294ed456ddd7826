/** Elasticsearch 8 with TLS, users and API keys, and a write queue that fills at once. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { canRunSecureElasticsearch, startElasticsearch, type Elasticsearch } from '../cluster/elasticsearch.ts';
import { runHelper } from '../support/helper.ts';
import {
  countOf,
  inIndex,
  lines,
  openSite,
  shipOnce,
  startShipper,
  told,
  type Site,
} from './kolla-log-ship-servers-support.ts';

const skip = (await canRunSecureElasticsearch()) ?? false;
let server: Elasticsearch;

before(async () => {
  if (skip !== false) return;
  // The smallest queue that still allows writes, so that a part of each burst is rejected.
  const settings = { 'node.processors': 1, 'thread_pool.write.queue_size': 1 };
  server = await startElasticsearch({ secure: true, settings });
});
after(async () => {
  if (skip === false) await server[Symbol.asyncDispose]();
});

/** An API key that may only ship to these indices. */
async function apiKey(site: Site, privileges: readonly string[]): Promise<string> {
  const roles = { ship: { cluster: [], indices: [{ names: [site.index], privileges }] } };
  const key = (await told(server, 'POST', '/_security/api_key', { name: site.prefix, role_descriptors: roles })) as {
    encoded: string;
  };
  const file = join(site.directory, 'api-key');
  writeFileSync(file, `${key.encoded}\n`);
  return file;
}

test('a wrong password delays lines, and the right one in the same file resumes them', { skip }, async () => {
  await using site = await openSite(server, 'password');
  const file = join(site.directory, 'password');
  writeFileSync(file, 'wrong\n');
  writeFileSync(site.file, lines(0, 100));
  await using shipper = await startShipper(site, site.to);
  await shipper.says(/does not accept writes.*status 401/);
  assert.doesNotMatch(shipper.log(), /wrong/, 'the log shows no password');
  writeFileSync(file, `${server.login?.password}\n`);
  await countOf(server, site.index, 100);
  assert.equal(await shipper.running.stop(), 0, shipper.log());
  assert.deepEqual(await inIndex(server, site.index), { documents: 100, distinct: 100 });
});

test('an API key with two privileges is enough', { skip }, async () => {
  await using site = await openSite(server, 'key');
  const key = await apiKey(site, ['create_doc', 'auto_configure']);
  writeFileSync(site.file, lines(0, 100));
  const to = ['--url', server.url, '--ca-file', join(site.directory, 'ca.crt'), '--api-key-file', key];
  const { acknowledged } = await shipOnce({ ...site, to });
  assert.equal(acknowledged, 100);
  assert.deepEqual(await inIndex(server, site.index), { documents: 100, distinct: 100 });
});

test('a key without write permission delays lines and names the missing privilege', { skip }, async () => {
  await using site = await openSite(server, 'reader');
  const key = await apiKey(site, ['read']);
  writeFileSync(site.file, lines(0, 10));
  const to = ['--url', server.url, '--ca-file', join(site.directory, 'ca.crt'), '--api-key-file', key];
  await using shipper = await startShipper(site, to, '--grace', '1s');
  await shipper.says(/does not accept writes.*403.*create_doc/);
  const setup = await runHelper('kolla-log-ship', ['setup', ...to]);
  assert.equal(setup.code, 77, setup.stderr);
  assert.match(setup.stderr, /rejects GET \/_index_template\/flog: status 403.*lacks the permission/);
  assert.equal(await shipper.running.stop(), 143, shipper.log());
});

test('a server with an unknown CA gets no password', { skip }, async () => {
  await using site = await openSite(server, 'authority');
  writeFileSync(site.file, lines(0, 10));
  const to = site.to.slice(0, site.to.indexOf('--ca-file'));
  await using shipper = await startShipper(site, to, '--grace', '1s');
  await shipper.says(/does not accept writes.*--ca-file/);
  assert.equal(await shipper.running.stop(), 143);
  assert.equal(await server.count(site.index), 0);
});

test('a write queue of 1 rejects many, and all are indexed once', { skip }, async () => {
  await using site = await openSite(server, 'queue');
  await told(server, 'PUT', '/_index_template/queue', {
    index_patterns: [site.index],
    template: { settings: { number_of_shards: 4, number_of_replicas: 0 } },
  });
  writeFileSync(site.file, lines(0, 5000));
  const { retried } = await shipOnce(site);
  assert.ok(Number(retried) > 0, 'some were rejected');
  assert.deepEqual(await inIndex(server, site.index), { documents: 5000, distinct: 5000 });
});

test('a data stream with its own retention is set up and receives each line once', { skip }, async () => {
  await using site = await openSite(server, 'unused');
  const stream = ['--data-stream', 'logs-openstack-default'];
  const setup = (...more: string[]) =>
    runHelper('kolla-log-ship', ['setup', ...site.to, ...stream, '--replicas', '0', ...more]);
  const made = await setup('--keep', '14d');
  assert.match(made.stdout, /^created index template logs-openstack-default /, made.stderr);
  assert.match((await setup('--keep', '14d')).stdout, /^unchanged/);
  assert.match((await setup('--keep', '30d', '--dry-run')).stdout, /^ {4}\+.*"data_retention": "30d"/m);
  writeFileSync(site.file, lines(0, 100));
  await shipOnce(site, ...stream);
  writeFileSync(join(site.state, 'checkpoint.json'), 'torn');
  assert.equal((await shipOnce(site, ...stream))['already'], 100);
  assert.deepEqual(await inIndex(server, 'logs-openstack-default'), { documents: 100, distinct: 100 });
});

test(
  'a template that the server would reject, or that another one overrides, is reported before anything is written',
  { skip },
  async () => {
    await using site = await openSite(server, 'clash');
    const setup = (...more: string[]) =>
      runHelper('kolla-log-ship', ['setup', ...site.to, '--index-prefix', site.prefix, ...more]);
    const other = (priority: number) => ({ index_patterns: [site.index], priority, template: {} });
    await told(server, 'PUT', '/_index_template/other', other(200));
    const same = await setup();
    assert.equal(same.code, 69);
    assert.match(same.stderr, /rejects the index template 'clash'.*other.*priority/);
    await told(server, 'PUT', '/_index_template/other', other(201));
    const lower = await setup();
    assert.equal(lower.code, 69);
    assert.match(lower.stderr, /another index template takes precedence for clash-\*/);
    assert.equal((await server.request('GET', '/_index_template/clash')).status, 404);
    assert.match((await setup('--priority', '300')).stdout, /^created/);
  },
);
