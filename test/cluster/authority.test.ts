import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { makeAuthority } from './authority.ts';

test('a certificate names its subject and its issuer', () => {
  const authority = makeAuthority('test authority');
  const issued = authority.issue({
    commonName: 'admin',
    organizations: ['a', 'b'],
    hosts: ['db.test', '10.88.0.1', 'fd10:88::1'],
  });
  const certificate = new X509Certificate(issued.certificate);
  const issuer = new X509Certificate(authority.certificate);
  assert.equal(certificate.subject, 'O=a\nO=b\nCN=admin');
  assert.equal(certificate.subjectAltName, 'DNS:db.test, IP Address:10.88.0.1, IP Address:FD10:88:0:0:0:0:0:1');
  assert.equal(certificate.ca, false);
  assert.equal(issuer.ca, true);
  assert.ok(certificate.checkIssued(issuer));
  assert.ok(certificate.verify(issuer.publicKey));
  assert.ok(Date.parse(certificate.validFrom) < Date.now() && Date.now() < Date.parse(certificate.validTo));
});

test('a server and a client authenticate each other with certificates of the CA', async () => {
  const authority = makeAuthority('test authority');
  const as = (subject: Parameters<typeof authority.issue>[0]) => {
    const { certificate, key } = authority.issue(subject);
    return { cert: certificate, key, ca: authority.certificate };
  };
  const server = createServer({ ...as({ commonName: 'server', hosts: ['localhost'] }), requestCert: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options = { port, host: '127.0.0.1', servername: 'localhost', ...as({ commonName: 'client' }) };
  const [[accepted], client] = await Promise.all([
    once(server, 'secureConnection') as Promise<[TLSSocket]>,
    (async () => {
      const socket = connect(options);
      await once(socket, 'secureConnect');
      return socket;
    })(),
  ]);
  assert.equal(accepted.getPeerCertificate().subject.CN, 'client');
  client.destroy();
  server.close();
});

test('another CA of the same name is not trusted', () => {
  const certificate = new X509Certificate(makeAuthority('one').issue({ commonName: 'x' }).certificate);
  const other = new X509Certificate(makeAuthority('one').certificate);
  assert.ok(!certificate.verify(other.publicKey));
});
