import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import type { Delta } from '../../src/sidecar/status/hub.ts';
import { keystoneAtNight, serveSample, type Sample } from './status-sample.ts';

test('the stream starts with everything, then sends each change with an id to resume from', async () => {
  await using sample = await serveSample(keystoneAtNight(0));
  await using stream = await watch(sample);
  const first = await stream.next();
  assert.equal(first.isWhole, true);
  sample.document = { ...sample.document, waits: [] };
  const second = await stream.next();
  assert.deepEqual([second.isWhole, second.gone.waits?.length], [false, 2]);
  await using again = await watch(sample, { 'last-event-id': first.id });
  assert.deepEqual((await again.next()).gone.waits?.length, 2);
});

test('the status document is served to clients within the Pod only', async () => {
  await using sample = await serveSample(keystoneAtNight(0));
  const { status, body } = await get(sample, '/status.json');
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body), sample.document);
  assert.equal((await get(sample, '/status.json', { host: 'rebound.example' })).status, 403);
  assert.equal((await get(sample, '/', { host: 'rebound.example' })).status, 403);
  assert.equal((await get(sample, '/events', { host: 'rebound.example' })).status, 403);
});

test('the status page is read-only', async () => {
  await using sample = await serveSample(keystoneAtNight(0));
  for (const path of ['/', '/events', '/status.json'])
    assert.ok([404, 405].includes((await get(sample, path, {}, 'POST')).status), path);
});

test('at most sixteen clients watch at a time, and one that leaves makes room', async () => {
  await using sample = await serveSample(keystoneAtNight(0));
  await using stack = new AsyncDisposableStack();
  for (let i = 0; i < 15; i++) stack.use(await watch(sample));
  const last = await watch(sample);
  assert.equal((await get(sample, '/events')).status, 503);
  await last[Symbol.asyncDispose]();
  for (let tries = 0; tries < 100; tries++) {
    const response = await asked(sample, '/events', {});
    response.destroy();
    if (response.statusCode === 200) return;
  }
  assert.fail('there was no room again');
});

async function watch(sample: Sample, headers: Readonly<Record<string, string>> = {}) {
  const response = await asked(sample, '/events', headers);
  assert.equal(response.statusCode, 200);
  let said = '';
  response.setEncoding('utf8');
  const events: Delta[] = [];
  response.on('data', (part: string) => {
    said += part;
    const whole = said.split('\n\n');
    said = whole.pop() ?? '';
    for (const each of whole) {
      const data = /^data: (\{.*)$/m.exec(each)?.[1];
      if (data !== undefined) events.push(JSON.parse(data) as Delta);
    }
  });
  response.on('error', () => {});
  return {
    async next(): Promise<Delta> {
      while (events.length === 0) await once(response, 'data');
      return events.shift()!;
    },
    async [Symbol.asyncDispose]() {
      response.destroy();
      if (!response.closed) await once(response, 'close');
    },
  };
}

async function get(sample: Sample, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await asked(sample, path, headers, method);
  return { status: response.statusCode ?? 0, body: await text(response) };
}

async function asked(
  sample: Sample,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<IncomingMessage> {
  const sent = request(new URL(path, sample.url), { headers, method, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
