import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '../../src/provision/converge/client.ts';
import type { BootstrapOptions } from '../../src/provision/options/options.ts';
import { readServiceConfig } from '../../src/provision/converge/service-config.ts';
import { findTransport } from '../../src/provision/rabbitmq/transport.ts';
import { serviceNamed } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { recordedLog } from '../support/recorded-log.ts';

const DAY_MS = 86_400_000;
const glance = serviceNamed('glance')!;

async function brokerOf(options: Partial<BootstrapOptions>) {
  const all = {
    only: [],
    rabbitmqUrl: [],
    rabbitmqAdminUser: 'admin',
    rabbitmqAdminPassword: 'hidden',
    transportUrl: 'rabbit://glance:hidden@mq:5672/glance',
    ...options,
  } as unknown as BootstrapOptions;
  const config = await readServiceConfig({ ...glance, configFile: '/nowhere/a.conf' }, undefined, {});
  const found = await findTransport(glance.queue!, all, config, recordedLog().log);
  return { urls: found?.broker.urls.map(({ href }) => href), trust: found?.broker.trust };
}

test('the management API uses http on port 15672, and https on 15671 with --tls', async () => {
  assert.deepEqual(await brokerOf({ caFile: '/ca' }), { urls: ['http://mq:15672/'], trust: { insecure: false } });
  assert.deepEqual(await brokerOf({ tls: 'verify', caFile: '/ca' }), {
    urls: ['https://mq:15671/'],
    trust: { caFile: '/ca', insecure: false },
  });
  assert.deepEqual(await brokerOf({ tls: 'require' }), {
    urls: ['https://mq:15671/'],
    trust: { caFile: undefined, insecure: true },
  });
});

test('--tls that contradicts --rabbitmq-url is a usage error', async () => {
  await assert.rejects(brokerOf({ tls: 'off', rabbitmqUrl: ['https://mq:15671'] }), {
    exitCode: 64,
    message: '--tls off contradicts --rabbitmq-url https://mq:15671: write http://, or leave --tls out',
  });
});

test('a transport URL given as --rabbitmq-url is rejected, and not shown in the message', async () => {
  await assert.rejects(brokerOf({ rabbitmqUrl: ['rabbit://glance:hidden@mq:5672'] }), {
    exitCode: 64,
    message: '--rabbitmq-url: it contains a user: give --rabbitmq-admin-user instead',
  });
});

for (const [problem, hosts, leftMs, reason] of [
  ['that has expired', ['127.0.0.1'], -DAY_MS, /cannot trust RabbitMQ at https:\S+: .* has expired: renew it/],
  ['for another name', ['other.test'], DAY_MS, /cannot trust RabbitMQ at https:\S+: .* for another name: /],
] as const) {
  test(`a certificate ${problem} fails a request at once, unless verification is off`, async () => {
    const authority = makeAuthority('management');
    await using directory = await privateDirectory('transport');
    const caFile = join(directory.path, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    const validUntil = new Date(Date.now() + leftMs);
    const { certificate: cert, key } = authority.issue({ commonName: 'mq', hosts: [...hosts], validUntil });
    const server = createServer({ cert, key }, (_, response) => response.end('{}'));
    await using _ = {
      [Symbol.asyncDispose]: async () => void (server.close(), await once(server, 'close')),
    };
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const ask = (trust: { caFile?: string; insecure: boolean }) => {
      const { signal } = new AbortController();
      const { log } = recordedLog();
      const effects = { signal, deadline: AbortSignal.timeout(60_000), timeoutMs: 60_000, log };
      return new Client({ ...effects, name: 'RabbitMQ', bases: [base], trust }).send({
        method: 'GET',
        path: '/api',
        doing: 'read',
      });
    };
    await assert.rejects(ask({ caFile, insecure: false }), { exitCode: 65, message: reason });
    assert.equal((await ask({ insecure: true })).status, 200);
  });
}
