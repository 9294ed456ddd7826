/** kolla-probe on both engines, and servers of other TLS libraries: the same result in the same words. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { freePorts } from '../../tools/port.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { canBuildCore } from '../cluster/core-binary.ts';
import { canRunRabbitmq, startRabbitmq } from '../cluster/rabbitmq.ts';
import { startTlsPeer, TLS_PEERS, type TlsService } from '../cluster/tls-peers/index.ts';
import { byOpenssl, KEYS, onBothEngines, type Issued } from '../contract/tls-engines.ts';
import { canRunOpenssl } from '../engine/openssl.ts';

const skip = (await canBuildCore()) ?? (await canRunOpenssl());
const noRabbitmq = await canRunRabbitmq();
const missing = new Map<string, string | undefined>();
for (const [name, { canRun }] of Object.entries(TLS_PEERS)) missing.set(name, await canRun());
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const { path } = stack.use(await privateDirectory('tls-peers'));

const authority = makeAuthority('peers');
const CA = join(path, 'ca.pem');
writeFileSync(CA, authority.certificate);
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;
/** Erlang has EdDSA in TLS 1.3 alone. */
const LACKING: ReadonlySet<string> = new Set(['Erlang Ed25519 TLSv1.2']);

const certificates = new Map<string, Issued>();
if (skip === undefined)
  for (const kind of ['RSA of 2048 bits', 'P-256', 'P-384', 'Ed25519'] as const)
    certificates.set(kind, await byOpenssl(authority, path, kind.replaceAll(' ', '-'), KEYS[kind]));

/** Asserts that both engines are healthy, or both say why not. */
async function assertSame(words: readonly string[], expected: RegExp): Promise<void> {
  const { nodes, cores } = await onBothEngines(words);
  assert.match(nodes, expected, words.join(' '));
  assert.equal(cores, nodes, words.join(' '));
}

for (const [name, peer] of Object.entries(TLS_PEERS))
  describe(`servers of ${name}`, { skip: skip ?? missing.get(name) ?? false }, () => {
    test('TLS 1.2 and 1.3 with each kind of key', async () => {
      const services = [...certificates].flatMap(([kind, { certFile, keyFile }]) =>
        VERSIONS.filter((version) => !LACKING.has(`${name} ${kind} ${version}`)).map((version): TlsService => ({
          version,
          certFile,
          keyFile,
        })),
      );
      await using server = await startTlsPeer(peer, services);
      for (const port of server.ports) {
        await assertSame(['http', `https://127.0.0.1:${port}/`, '--ca-file', CA], /^0$/);
        await assertSame(['tls', `localhost:${port}`, '--ca-file', CA], /^0$/);
      }
      for (const port of server.ports.slice(0, 2)) {
        await assertSame(['http', `https://127.0.0.1:${port}/`], /^1: .* not signed by a CA of this image's/);
        const other = ['tls', `127.0.0.1:${port}`, '--server-name', 'other.test', '--ca-file', CA];
        await assertSame(other, /^1: .*certificate is for another name/);
      }
    });
  });

describe('RabbitMQ', { skip: skip ?? noRabbitmq ?? false }, () => {
  test('AMQP with TLS 1.2 and RSA, its management API with TLS 1.3 and Ed25519', async () => {
    const [port = 0, management = 0] = await freePorts(2);
    const by = (prefix: string, { certFile, keyFile }: Issued, version: string) => [
      `${prefix}.cacertfile = ${CA}`,
      `${prefix}.certfile = ${certFile}`,
      `${prefix}.keyfile = ${keyFile}`,
      `${prefix}.versions.1 = ${version}`,
    ];
    const configuration = [
      'listeners.tcp = none',
      `listeners.ssl.1 = 127.0.0.1:${port}`,
      ...by('ssl_options', certificates.get('RSA of 2048 bits')!, 'tlsv1.2'),
      'management.ssl.ip = 127.0.0.1',
      `management.ssl.port = ${management}`,
      ...by('management.ssl', certificates.get('Ed25519')!, 'tlsv1.3'),
    ].join('\n');
    await using broker = await startRabbitmq({ port, configuration });
    const at = `${broker.host}:${port}`;
    const trusted = ['--ca-file', CA];
    await assertSame(['tls', at, ...trusted], /^0$/);
    await assertSame(['amqp', `amqps://${at}`, '--greeting', ...trusted], /^0$/);
    await assertSame(['http', `https://${broker.host}:${management}/`, ...trusted], /^0$/);
    await assertSame(['amqp', `amqps://${at}`, '--greeting'], /^1: .* not signed by a CA of this image's/);
    await assertSame(['http', `https://${broker.host}:${management}/`], /^1: .* not signed by a CA of this image's/);
  });
});
