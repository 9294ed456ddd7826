import { writeFile } from 'node:fs/promises';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { makeAuthority } from '../../cluster/authority.ts';
import { scriptedBroker } from '../../support/amqp-broker.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import type { SetStage, Stages } from './stage.ts';

const MONTH_MS = 30 * 86_400_000;

/** A server that gives these responses in this order, whatever the requests are. */
const answering =
  (place: string, ...answers: string[]): SetStage =>
  async (directory, stack) => {
    await writeFile(join(directory, 'password'), 'hidden');
    const { port } = stack.use(
      await listenTcp(
        (socket) => {
          const left = [...answers];
          socket.on('data', () => void socket.write(left.shift() ?? ''));
        },
        place.startsWith('[') ? '::1' : '127.0.0.1',
      ),
    );
    const host = place.startsWith('[') ? '[::1]' : '127.0.0.1';
    return { replace: { [place]: `${host}:${port}`, '/run/secrets/valkey': join(directory, 'password') } };
  };

/** A real database takes seconds to start, and is covered by the integration tests. */
const withoutDatabase: SetStage = async (directory) => {
  await writeFile(join(directory, 'password'), 'hidden');
  const replace = {
    '127.0.0.1': `127.0.0.1:${await freePort()}`,
    '/run/secrets/healthcheck': join(directory, 'password'),
  };
  return { replace, code: 1, stderr: /connection refused by .*\(ECONNREFUSED\)/ };
};

const withoutSocket: SetStage = async (directory) => {
  const file = join(directory, 'healthcheck.cnf');
  await writeFile(file, `[client]\nuser=monitor\npassword=hidden\nsocket=${join(directory, 'none.sock')}\n`);
  return { replace: { '/etc/mysql/healthcheck.cnf': file } };
};

const withBroker: SetStage = async (directory, stack) => {
  await writeFile(join(directory, 'password'), 'hidden');
  const broker = stack.use(await scriptedBroker());
  const api = stack.use(await listenHttp((_request, response) => void response.end('{"status":"ok"}')));
  return {
    replace: {
      'amqp 127.0.0.1': `amqp 127.0.0.1:${broker.port}`,
      'rabbitmq 127.0.0.1': `rabbitmq 127.0.0.1:${broker.port}`,
      '127.0.0.1:15672': `127.0.0.1:${api.port}`,
      '/run/secrets/rabbitmq': join(directory, 'password'),
    },
  };
};

const withHealthService =
  (place: string): SetStage =>
  async (_, stack) => {
    const server = createHttp2Server();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, 1]));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(() => void server.close());
    return { replace: { [place]: `127.0.0.1:${(server.address() as AddressInfo).port}` } };
  };

function certificates() {
  const authority = makeAuthority('stage');
  const validUntil = new Date(Date.now() + MONTH_MS);
  const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], validUntil });
  return { authority, certificate, key };
}

/** A server that closes each connection with its peer, as a broker does. */
async function tlsServer(directory: string, stack: AsyncDisposableStack) {
  const { authority, certificate: cert, key } = certificates();
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  const server = createTlsServer({ cert, key }, (socket) => void socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  return { port: (server.address() as AddressInfo).port, caFile };
}

export const PROBE_NET: Stages = {
  'kolla-probe tls api.example.org:443 --expires-in 7d': async (directory, stack) => {
    const { port, caFile } = await tlsServer(directory, stack);
    // The chain includes the test's CA, which expires in two and a half days.
    return {
      replace: { 'api.example.org:443': `127.0.0.1:${port}` },
      env: { KOLLA_PROBE_CA_FILE: caFile },
      code: 1,
      stderr: /the certificate of 'stage' expires on/,
    };
  },
  'kolla-probe tls --cert-file /etc/kolla/certs/tls.crt --expires-in 14d': async (directory) => {
    const file = join(directory, 'tls.crt');
    await writeFile(file, certificates().certificate);
    return { replace: { '/etc/kolla/certs/tls.crt': file } };
  },
  'kolla-probe mysql 127.0.0.1 --user healthcheck --password-file /run/secrets/healthcheck': withoutDatabase,
  'kolla-probe mysql mariadb:3306': async (_, stack) => {
    const greeting = Buffer.concat([Buffer.from([24, 0, 0, 0]), Buffer.from('\n11.4.2-MariaDB\0'), Buffer.alloc(8)]);
    const { port } = stack.use(await listenTcp((socket) => void socket.write(greeting)));
    return { replace: { 'mariadb:3306': `127.0.0.1:${port}` } };
  },
  'kolla-probe galera 127.0.0.1 --user healthcheck --password-file /run/secrets/healthcheck': withoutDatabase,
  'kolla-probe galera --defaults-file /etc/mysql/healthcheck.cnf --allow-donor': async (...stage) => {
    return { ...(await withoutSocket(...stage)), code: 1, stderr: /does not exist/ };
  },
  'kolla-probe galera --defaults-file /etc/mysql/healthcheck.cnf --unless-disconnected': withoutSocket,
  'kolla-probe amqp 127.0.0.1': withBroker,
  'kolla-probe amqp amqps://rabbitmq --ca-file /etc/ssl/ca.pem': async (directory, stack) => {
    const { port, caFile } = await tlsServer(directory, stack);
    return { replace: { 'amqps://rabbitmq': `amqps://127.0.0.1:${port}`, '/etc/ssl/ca.pem': caFile } };
  },
  'kolla-probe amqp 127.0.0.1 --user nova --password-file /run/secrets/rabbitmq': withBroker,
  'kolla-probe amqp 127.0.0.1 --user nova --password-file /run/secrets/rabbitmq --declare --timeout 5s': withBroker,
  'kolla-probe rabbitmq 127.0.0.1 --declare --user openstack --password-file /run/secrets/rabbitmq --timeout 5s':
    withBroker,
  'kolla-probe rabbitmq 127.0.0.1 --management http://127.0.0.1:15672 --user openstack --password-file /run/secrets/rabbitmq':
    withBroker,
  'kolla-probe rabbitmq 127.0.0.1': withBroker,
  'kolla-probe memcached 127.0.0.1': answering('127.0.0.1', 'VERSION 1.6.18\r\n'),
  'kolla-probe memcached [::1]:11211': answering('[::1]:11211', 'VERSION 1.6.18\r\n'),
  'kolla-probe redis 127.0.0.1 --password-file /run/secrets/valkey': answering('127.0.0.1', '+OK\r\n', '+PONG\r\n'),
  'kolla-probe redis 127.0.0.1:26379': answering('127.0.0.1:26379', '+PONG\r\n'),
  'kolla-probe grpc 127.0.0.1:2379': withHealthService('127.0.0.1:2379'),
  'kolla-probe grpc 127.0.0.1:9090 --service readiness --timeout 2s': withHealthService('127.0.0.1:9090'),
};
