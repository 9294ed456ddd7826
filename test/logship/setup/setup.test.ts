import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { mappingsOf } from '../../../src/logship/setup/mappings/mappings.ts';
import { savedObjects } from '../../../src/logship/setup/saved-objects/index.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { coreBinary } from '../../cluster/core-binary.ts';
import { isOnCore, runHelper, startHelper } from '../../support/helper.ts';
import { listenHttp } from '../../support/server.ts';
import { standIn } from './server.ts';

const directory = await privateDirectory('setup', inMemory());
after(async () => await directory[Symbol.asyncDispose]());
const names = isOnCore
  ? (await coreBinary(directory.path, ['kolla-log-ship'], 'test/engine/on-engine')).names
  : undefined;

function setup(url: string, ...args: string[]) {
  return runHelper('kolla-log-ship', ['setup', '--url', url, ...args], { names });
}

test('a template and a policy are created once, and then unchanged', async () => {
  await using server = await standIn({ has: 'ilm' });
  const first = await setup(server.url, '--keep', '14d');
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^created ILM policy flog at .*\ncreated index template flog at .*\n$/);
  assert.deepEqual(server.writes, ['/_ilm/policy/flog', '/_index_template/flog']);
  const again = await setup(server.url, '--keep', '14d');
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stdout, /^unchanged ILM policy flog .*\nunchanged index template flog .*\n$/);
  assert.equal(server.writes.length, 2);
});

test('a write that is answered with 200 and not done is an error', async () => {
  for (const [writes, why] of [
    ['are lost', /status 200: \{.*ok.*\}, and has not stored it: check that this is the server itself/],
    ['are not confirmed', /, and not all of its nodes have confirmed it: .* run this again/],
  ] as const) {
    await using server = await standIn({ has: 'ilm', writes });
    const { code, stdout, stderr } = await setup(server.url, '--keep', '14d');
    assert.deepEqual([code, stdout], [69, ''], stderr);
    assert.match(stderr, why);
    assert.equal(server.writes.length, 1);
  }
});

test('with another retention a dry run shows how the policy would change, and writes nothing', async () => {
  await using server = await standIn({ has: 'ilm' });
  await setup(server.url, '--keep', '14d');
  const { code, stdout, stderr } = await setup(server.url, '--keep', '30d', '--dry-run');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^would update ILM policy flog/);
  assert.match(stdout, /^ {4}-.*"min_age": "14d".*\n {4}\+.*"min_age": "30d".*$/m);
  assert.match(stdout, /^unchanged index template/m);
  assert.equal(server.writes.length, 2, 'a dry run writes nothing');
});

test('OpenSearch gets its own kind of policy, and an update with the version it replaces', async () => {
  await using server = await standIn({ has: 'ism' });
  const to = ['--to', 'opensearch', '--data-stream', 'logs-openstack-default'];
  const first = await setup(server.url, ...to, '--keep', '7d');
  assert.equal(first.code, 0, first.stderr);
  const { policy } = server.kept.get('/_plugins/_ism/policies/logs-openstack-default') as {
    policy: { ism_template: object; states: { actions: object[] }[] };
  };
  assert.deepEqual(policy.ism_template, [{ index_patterns: ['logs-openstack-default'], priority: 100 }]);
  assert.deepEqual(policy.states[0]?.actions, [{ rollover: { min_index_age: '1d' } }]);
  await setup(server.url, ...to, '--keep', '8d');
  assert.equal(server.writes.at(-1), '/_plugins/_ism/policies/logs-openstack-default?if_seq_no=7&if_primary_term=2');
});

test('a data stream of Elasticsearch keeps its retention in the template', async () => {
  await using server = await standIn({ has: 'neither' });
  const { code, stderr } = await setup(server.url, '--data-stream', 'logs-openstack-default', '--keep', '36h');
  assert.equal(code, 0, stderr);
  const { data_stream: stream, template } = server.kept.get('/_index_template/logs-openstack-default') as {
    data_stream: object;
    template: { lifecycle: object };
  };
  assert.deepEqual(stream, {});
  assert.deepEqual(template.lifecycle, { data_retention: '36h' });
});

test('a server without lifecycle management is reported by name, and nothing is written', async () => {
  await using server = await standIn({ has: 'neither' });
  const { code, stderr } = await setup(server.url, '--keep', '14d');
  assert.equal(code, 69, stderr);
  assert.match(stderr, /--keep needs Index Lifecycle Management, which elasticsearch at .* does not have/);
  assert.deepEqual(server.writes, []);
});

test("another tool's resource is not touched without --force", async () => {
  await using server = await standIn({ has: 'neither' });
  const theirs = { index_patterns: ['flog-*'], priority: 5, template: { settings: { number_of_shards: 9 } } };
  server.kept.set('/_index_template/flog', theirs);
  const refused = await setup(server.url);
  assert.equal(refused.code, 69);
  assert.match(refused.stderr, /has an index template 'flog' that kolla-log-ship did not create/);
  assert.equal(server.kept.get('/_index_template/flog'), theirs);
  const forced = await setup(server.url, '--force');
  assert.equal(forced.code, 0, forced.stderr);
  assert.match(forced.stdout, /^updated index template flog/);
});

test("another tool's template with precedence is an error, before anything is written", async () => {
  await using server = await standIn({ has: 'neither', winner: { mappings: {} } });
  const { code, stderr } = await setup(server.url);
  assert.equal(code, 69);
  assert.match(stderr, /another index template takes precedence for flog-\*: raise --priority/);
  assert.deepEqual(server.writes, []);
});

test('exits with code 77 for a server that rejects the login, 75 for an unresponsive one, 69 for a missing one', async () => {
  await using refusing = await standIn({ has: 'neither', status: 401 });
  const refused = await setup(refusing.url);
  assert.equal(refused.code, 77);
  assert.match(refused.stderr, /status 401: not you; check --user/);
  await using silent = await standIn({ has: 'neither', silent: true });
  const late = await setup(silent.url, '--timeout', '200ms');
  assert.equal(late.code, 75);
  assert.match(late.stderr, /did not respond to GET \/_index_template\/flog within --timeout 200ms/);
  const gone = await setup('http://127.0.0.1:1');
  assert.equal(gone.code, 69);
  assert.match(gone.stderr, /ECONNREFUSED/);
});

test('an HTML page instead of a response is reported on one line', async () => {
  await using server = await listenHttp((_, response) => response.end('<html>\nplease log in\n</html>'));
  const { code, stderr } = await setup(`http://127.0.0.1:${server.port}`);
  assert.equal(code, 69);
  assert.match(stderr, /does not return its index template 'flog': status 200: <html> ?.*please log in/);
});

for (const answer of ['null', '[]', '{"index_templates":7}', '{"index_templates":[null]}', '{"index_templates":{}}'])
  test(`${answer} instead of a template is reported`, async () => {
    await using server = await listenHttp((_, response) => response.end(answer));
    const { code, stderr } = await setup(`http://127.0.0.1:${server.port}`);
    assert.equal(code, 69, stderr);
    const said = `does not return its index template 'flog': status 200: ${answer}`;
    assert.ok(stderr.includes(JSON.stringify(said).slice(1, -1)), stderr);
  });

test('a signal stops the setup immediately', async () => {
  await using server = await standIn({ has: 'neither', silent: true });
  await using running = await startHelper('kolla-log-ship', ['setup', '--url', server.url], { names });
  await server.asked;
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130);
});

test('contradicting options are rejected by name', async () => {
  for (const [args, said] of [
    [['--keep', '2h'], /--keep 2h: indices are daily/],
    [['--keep', 'soon'], /--keep: 'soon' is not a duration/],
    [['--shards', '0'], /--shards 0/],
    [['--index-prefix', 'Flog'], /--index-prefix 'Flog'/],
  ] as const) {
    const { code, stderr } = await setup('http://127.0.0.1:1', ...args);
    assert.equal(code, 64, stderr);
    assert.match(stderr, said);
  }
  const { code, stderr } = await runHelper('kolla-log-ship', ['setup'], { names });
  assert.equal(code, 64);
  assert.match(stderr, /setup needs a server/);
});

test('JSON output has the previous and the new state', async () => {
  await using server = await standIn({ has: 'neither' });
  const { stdout } = await setup(server.url, '--dry-run', '-o', 'json');
  const { dryRun, changes } = JSON.parse(stdout) as { dryRun: boolean; changes: { action: string; before: null }[] };
  assert.equal(dryRun, true);
  assert.deepEqual(
    changes.map(({ action, before }) => [action, before]),
    [['create', null]],
  );
});

test('every field aggregated by the overview is mapped as a whole value', () => {
  const { properties } = mappingsOf('kolla', 'elasticsearch') as { properties: Record<string, { fields?: object }> };
  const text = savedObjects('kibana', { schema: 'kolla', indexPrefix: 'flog', dataStream: undefined });
  const counted = [...text.matchAll(/\\"field\\":\\"([^\\]+)\\"/g)].map(([, field = '']) => field);
  assert.ok(counted.length > 5);
  for (const field of counted.filter((name) => name !== '@timestamp')) {
    const [name = '', part = ''] = field.split('.');
    assert.ok(part in (properties[name]?.fields ?? {}), field);
  }
});
