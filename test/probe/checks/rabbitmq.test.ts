import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { rabbitmq } from '../../../src/probe/checks/rabbitmq.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp } from '../../support/server.ts';
import { asked, reasonOf } from './asked.ts';
import { closeMethod, scriptedBroker, START_OK } from '../../support/amqp-broker.ts';

const ENV = { KOLLA_PROBE_USER: 'monitor', KOLLA_PROBE_PASSWORD: 'hidden' };
const OK = { status: 'ok' };

/** Responds to the health checks of the API, by their names. */
async function management(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>) {
  return await listenHttp((request: IncomingMessage, response: ServerResponse) => {
    const name = request.url?.replace('/api/health/checks/', '') ?? '';
    const isKnown = request.headers.authorization === `Basic ${btoa('monitor:hidden')}`;
    const [status, body] = isKnown ? (answers[name] ?? [200, OK]) : [401, { error: 'not_authorised' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

const words = (broker: { port: number }, api: { port: number }) => [
  `127.0.0.1:${broker.port}`,
  '--management',
  `http://127.0.0.1:${api.port}/`,
];

test('a running broker, without alarms and with all virtual hosts, is healthy', async () => {
  await using broker = await scriptedBroker();
  await using api = await management({});
  assert.deepEqual(await asked(rabbitmq, words(broker, api), ENV), {
    healthy: true,
    detail: 'running, no alarm, every virtual host is up',
  });
});

test('alarms and virtual hosts that are down are unhealthy by name', async () => {
  await using broker = await scriptedBroker();
  const alarms = ['memory', 'memory', 'disk'].map((resource) => ({ node: 'rabbit@a', resource }));
  await using api = await management({
    'local-alarms': [503, { status: 'failed', reason: 'There are alarms', alarms }],
    'virtual-hosts': [503, { status: 'failed', reason: 'Some virtual hosts are down', 'virtual-hosts': ['nova'] }],
  });
  assert.equal(
    await reasonOf(rabbitmq, words(broker, api), ENV),
    'an alarm is in effect (memory, disk): publishers are blocked; a virtual host is down (nova): Some virtual hosts are down',
  );
});

test('problems of both AMQP and the API are reported', async () => {
  await using api = await management({ 'local-alarms': [404, {}] });
  const [first, second] = (await reasonOf(rabbitmq, words({ port: await freePort() }, api), ENV)).split('; ');
  assert.match(first ?? '', /^connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
  assert.match(second ?? '', /returns status 404/);
  await using broker = await scriptedBroker();
  assert.match(
    await reasonOf(rabbitmq, words(broker, { port: await freePort() }), ENV),
    /^the management API at 127\.0\.0\.1:\d+: connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
  );
});

test('a login rejected by the API is reported once, without the password', async () => {
  await using broker = await scriptedBroker();
  await using api = await management({});
  const said = await reasonOf(rabbitmq, words(broker, api), { ...ENV, KOLLA_PROBE_PASSWORD: 'wrong' });
  assert.equal(
    said,
    "the management API rejects 'monitor': the password is wrong, or the user has no tag such as management",
  );
});

test('--allow-rejected-login accepts a broker that rejects the login, and says what was not checked', async () => {
  const text = 'ACCESS_REFUSED - Login was refused';
  await using broker = await scriptedBroker({ answers: { [START_OK]: [closeMethod(403, text)] } });
  const at = [`127.0.0.1:${broker.port}`, '--declare'];
  assert.equal(await reasonOf(rabbitmq, at, ENV), `it rejects the login of 'monitor': ${text}`);
  assert.deepEqual(await asked(rabbitmq, [...at, '--allow-rejected-login'], ENV), {
    healthy: true,
    detail: `it rejects the login of 'monitor': ${text}; nothing else was checked: correct --user or --password-file`,
  });
  const silent = [`127.0.0.1:${await freePort()}`, '--declare', '--allow-rejected-login'];
  assert.match(await reasonOf(rabbitmq, silent, ENV), /^connection refused/);
});

test('invalid arguments are rejected', async () => {
  const refused = (...more: string[]) => asked(rabbitmq, ['127.0.0.1', ...more]);
  await assert.rejects(refused('--management', 'http://127.0.0.1:1'), /--management needs a login/);
  await assert.rejects(refused('--management', '127.0.0.1:1'), /is not an http/);
  await assert.rejects(refused('--allow-rejected-login'), /is for a check with --user and without --management/);
  await assert.rejects(
    refused('--management', 'http://a:hidden@b'),
    (error: Error) => !error.message.includes('hidden'),
  );
});
