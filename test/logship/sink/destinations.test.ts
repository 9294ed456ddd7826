import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { resolveOptions, splitWords } from '../../../src/cli/parse.ts';
import type { Values } from '../../../src/cli/option.ts';
import { destinationsOf, type Destination } from '../../../src/logship/sink/destinations.ts';
import { SINK_OPTIONS } from '../../../src/logship/sink/options.ts';

function destinations(args: string, env: NodeJS.ProcessEnv = {}): readonly Destination[] {
  const words = splitWords(args === '' ? [] : args.split(' '), SINK_OPTIONS, false);
  return destinationsOf(resolveOptions(SINK_OPTIONS, words, env, undefined) as Values<typeof SINK_OPTIONS>);
}

const hostsOf = ({ server }: Destination) => server?.urls.map(({ href }) => href);

test('without a URL documents go to stdout, with one to Elasticsearch', () => {
  assert.deepEqual(destinations(''), [{ name: 'stdout', server: undefined }]);
  const [one] = destinations('--url http://es:9200');
  assert.deepEqual([one?.name, one?.server?.kind], ['elasticsearch-es-9200', 'elasticsearch']);
});

test('each destination has its own name and hosts', () => {
  const found = destinations(
    '--to elasticsearch --url http://a:9200,http://b:9200 --to opensearch=https://os/logs --to stdout',
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    ['elasticsearch-a-9200', 'opensearch-os-logs', 'stdout'],
  );
  assert.deepEqual(found.map(hostsOf), [['http://a:9200/', 'http://b:9200/'], ['https://os/logs'], undefined]);
});

test('the environment is equivalent, with commas between destinations and between hosts', () => {
  const found = destinations('', {
    KOLLA_LOG_SHIP_TO: 'opensearch=http://o1:9200,http://o2:9200,elasticsearch',
    KOLLA_LOG_SHIP_URL: 'http://e1:9200, http://e2:9200',
  });
  assert.deepEqual(found.map(hostsOf), [
    ['http://o1:9200/', 'http://o2:9200/'],
    ['http://e1:9200/', 'http://e2:9200/'],
  ]);
});

test('a password is sent only to its server', () => {
  const [es, os] = destinations(
    '--to elasticsearch --url http://es --to opensearch=http://os --user u --password-file /p',
  );
  assert.deepEqual(es?.server?.login, { user: 'u', passwordFile: '/p' });
  assert.equal(os?.server?.login, undefined);
});

test('a kind as prefix applies the option to another destination', () => {
  const args = '--to elasticsearch --url https://es --to opensearch=https://os --api-key-file /k --user opensearch=o';
  const [es, os] = destinations(`${args} --password-file opensearch=/o --ca-file opensearch=/ca --ca-file /other`);
  assert.deepEqual(es?.server?.login, { apiKeyFile: '/k' });
  assert.deepEqual(os?.server?.login, { user: 'o', passwordFile: '/o' });
  assert.deepEqual([es?.server?.tls.caFile, os?.server?.tls.caFile], ['/other', '/ca']);
});

test('--tls is verify, require or off, for each destination, and fits its URL', () => {
  const both = '--to elasticsearch --url https://es --to opensearch=https://os --ca-file opensearch=/ca';
  const [es, os] = destinations(`${both} --tls require`);
  assert.deepEqual([es?.server?.tls.insecure, os?.server?.tls.insecure], [true, false]);
  const [, verified] = destinations(`${both} --tls opensearch=verify`);
  assert.deepEqual(verified?.server?.tls.caFile, '/ca');
  for (const [args, message] of [
    ['--url https://es --tls off', '--tls off contradicts --url https://es: write http://, or leave --tls out'],
    ['--url http://es --tls verify', '--tls verify contradicts --url http://es: write https://, or leave --tls out'],
    ['--url https://es --tls on', "--tls: 'on' is not verify, require or off"],
    [
      '--url https://es --tls require --ca-file /ca',
      '--ca-file is given with --tls require, which verifies no certificate: leave it out, or give --tls verify',
    ],
    ['--to stdout --tls verify', '--tls: no --to is a server'],
  ] as const)
    assert.throws(() => destinations(args), { exitCode: 64, message });
});

test('connection options apply to the only server even if its URL is in --to', () => {
  const [, os] = destinations('--to stdout --to opensearch=http://os --user u', { KOLLA_LOG_SHIP_PASSWORD: 'p' });
  assert.deepEqual(os?.server?.login, { user: 'u', password: 'p' });
});

test('a password or API key given twice for one server is a usage error; for two servers it is not', () => {
  for (const [args, variable, flag] of [
    ['--url http://es --user u', 'KOLLA_LOG_SHIP_PASSWORD', '--password-file'],
    ['--url http://es', 'KOLLA_LOG_SHIP_API_KEY', '--api-key-file'],
  ] as const)
    assert.throws(() => destinations(`${args} ${flag} /p`, { [variable]: 'hidden' }), {
      exitCode: 64,
      message: `${variable} and ${flag} are both given: leave one out`,
    });
  const two = '--to elasticsearch --url http://es --to opensearch=http://os --api-key-file opensearch=/p';
  const [es, os] = destinations(two, { KOLLA_LOG_SHIP_API_KEY: 'k' });
  assert.deepEqual([es?.server?.login, os?.server?.login], [{ apiKey: 'k' }, { apiKeyFile: '/p' }]);
});

test('a data stream replaces daily indices', () => {
  assert.deepEqual(destinations('--url http://es')[0]?.server?.target, { indexPrefix: 'flog-' });
  assert.deepEqual(destinations('--url http://es --data-stream logs-x-y')[0]?.server?.target, {
    dataStream: 'logs-x-y',
  });
});

for (const [args, message] of [
  ['--to kafka', /'kafka' is none of/],
  ['--to http://u:hunter2@es', /'http:\/\/\.\.\.' is none of/],
  ['--to elasticsearch', /--to elasticsearch needs --url/],
  ['--to stdout=http://es', /stdout takes no URL/],
  ['--to stdout --url http://es', /--url: no --to uses it/],
  ['--to elasticsearch=http://es --url http://es', /--url: no --to uses it/],
  ['--to elasticsearch --to opensearch --url http://es', /--to opensearch: two can't share --url/],
  ['--to elasticsearch=http://es --to elasticsearch=http://es', /elasticsearch-es is given twice/],
  ['--to opensearch=ftp://os', /--to is not an http/],
  ['--to opensearch=http://u:hunter2@os', /--to: it must not contain credentials/],
  ['--to opensearch=http://u:p,hunter2@os', /--to: '\.\.\.' is none of elasticsearch/],
  ['--to opensearch=http://u:p,hunter2,p@os', /--to: '\.\.\.' is none of elasticsearch/],
  ['--to opensearch=http://u:p,hunter2=p@os', /--to: '\.\.\.' is none of elasticsearch/],
  ['--to elastic=u:hunter2@os', /--to: 'elastic=\.\.\.' is none of elasticsearch/],
  ['--to elastic', /--to: 'elastic' is none of elasticsearch/],
  [
    '--to elasticsearch=http://es --to opensearch=http://os --user u',
    /--user: for which server\? --user elasticsearch=/,
  ],
  ['--url http://es --user opensearch=u', /--user: no --to is opensearch/],
  ['--user u', /--user: no --to is a server/],
  ['--url http://es --user u', /--user needs --password-file/],
  ['--url http://es --password-file /p', /a password needs its --user/],
  ['--url http://es --user u --api-key-file /k', /--user and an API key/],
  ['--url http://es --cert-file /c', /--cert-file and --key-file/],
  ['--url http://es --data-stream Logs', /--data-stream 'Logs'/],
] as const) {
  test(`${args.replace('hunter2', '...')} is a usage error`, () => {
    assert.throws(
      () => destinations(args),
      (error) => error instanceof UsageError && message.test(error.message) && !error.message.includes('hunter2'),
    );
  });
}
