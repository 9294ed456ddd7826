import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../runner/outcomes.ts';
import { itemsOf } from '../runner/plan.ts';
import { SERVER_FILES, serversIn } from './support.ts';

const [SERVERS, STREAMS, NOT_INDEXED] = ['servers', 'data-stream', 'not-indexed'].map(
  (name) => `test/integration/kolla-log-ship-${name}.test.ts`,
) as [string, string, string];

function passed(file: string, name: string): Outcome {
  return { file, name, result: 'passed' };
}

const WHOLE: readonly Outcome[] = [
  passed(SERVERS, 'OpenSearch 3.9.0 > a template is created'),
  passed(STREAMS, 'OpenSearch 3.9.0 > a rollover'),
  passed(STREAMS, 'Elasticsearch 8.19.21 with TLS and a password > a rollover'),
  passed(NOT_INDEXED, 'OpenSearch 3.4.0 with TLS and a password > a dropped document'),
];

const named = (outcomes: readonly Outcome[]) =>
  serversIn(outcomes, 'abc').map(({ server, version }) => `${server} ${version}`);

test("a run of a server's files records each version in their names", () => {
  assert.deepEqual(named(WHOLE), ['Elasticsearch 8.19.21', 'OpenSearch 3.9.0', 'OpenSearch 3.4.0']);
});

test('a version of which a test failed, or that was skipped, is not recorded', () => {
  const failed: Outcome = { file: STREAMS, name: 'OpenSearch 3.9.0 > lost', result: 'failed', reason: 'x' };
  const skipped: Outcome = {
    file: STREAMS,
    name: 'OpenSearch 3.4.0 with TLS and a password',
    result: 'skipped',
    isSuite: true,
  };
  assert.deepEqual(named([...WHOLE, failed, skipped]), ['Elasticsearch 8.19.21']);
});

test('a run without one of the files records none', () => {
  assert.deepEqual(named(WHOLE.filter(({ file }) => file !== STREAMS)), []);
});

test('each file of make servers counts for a server', () => {
  const counted = new Set(Object.values(SERVER_FILES).flat());
  assert.deepEqual(
    itemsOf(['servers'])
      .map(({ name }) => name)
      .filter((file) => !counted.has(file)),
    [],
  );
});

const BROKER = ['server-versions', 'tls-servers', 'kolla-bootstrap-rabbitmq', 'kolla-probe-rabbitmq'].map((name) =>
  passed(`test/integration/${name}.test.ts`, 'logs in'),
);
const STATED = passed('test/integration/server-versions.test.ts', 'states its version > RabbitMQ > RabbitMQ 4.3.6');

test('a version that one test states holds for all tests of its files, of which none may fail', () => {
  assert.deepEqual(named([...BROKER, STATED]), ['RabbitMQ 4.3.6']);
  assert.deepEqual(named(BROKER), []);
  const [first] = BROKER;
  const failed: Outcome = { file: first!.file, name: 'logs out', result: 'failed', reason: 'x' };
  assert.deepEqual(named([...BROKER, STATED, failed]), []);
});
