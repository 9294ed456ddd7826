import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Broker } from '../../../src/provision/rabbitmq/broker.ts';
import { ConflictError } from '../../../src/provision/converge/conflict.ts';
import { listenHttp } from '../../support/server.ts';
import { quietEffects } from '../effects-support.ts';

for (const answer of ['<html>', 'null', '"x"']) {
  test(`${answer} is not a response of RabbitMQ's management API`, async () => {
    await using server = await listenHttp((_, response) => void response.end(answer));
    const url = new URL(`http://127.0.0.1:${server.port}`);
    const broker = new Broker(
      { urls: [url], trust: { insecure: false }, adminUser: 'a', adminPassword: 'hidden' },
      quietEffects(),
    );
    const says = /RabbitMQ answers 200; is that its management API's port\?/;
    await assert.rejects(broker.find('/users/x'), says);
    await assert.rejects(broker.list('/users/x/permissions'), says);
  });
}

test('an object instead of a list is rejected, and vice versa', async () => {
  await using server = await listenHttp(
    (request, response) => void response.end(request.url === '/api/o' ? '{}' : '[]'),
  );
  const url = new URL(`http://127.0.0.1:${server.port}`);
  const broker = new Broker(
    { urls: [url], trust: { insecure: false }, adminUser: 'a', adminPassword: 'hidden' },
    quietEffects(),
  );
  assert.deepEqual([await broker.find('/o'), await broker.list('/l')], [{}, []]);
  await assert.rejects(broker.list('/o'), /answers 200/);
  await assert.rejects(broker.find('/l'), /answers 200/);
});

test('a rejected PUT, as after a race with another run, makes the state outdated', async () => {
  await using server = await listenHttp((_, response) => {
    response.writeHead(400).end('{"error":"bad_request","reason":"already exists"}');
  });
  const url = new URL(`http://127.0.0.1:${server.port}`);
  const broker = new Broker(
    { urls: [url], trust: { insecure: false }, adminUser: 'a', adminPassword: 'hidden' },
    quietEffects(),
  );
  await assert.rejects(broker.put('/users/x', {}, 'create queue user x'), (error: unknown) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.cause.message, 'cannot create queue user x: RabbitMQ answers 400: already exists');
    return true;
  });
  await assert.rejects(broker.find('/users/x'), /cannot read \/users\/x: RabbitMQ answers 400/);
});
