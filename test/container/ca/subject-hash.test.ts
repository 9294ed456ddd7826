import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { subjectHash } from '../../../src/container/ca/subject-hash.ts';
import { makeAuthority } from '../../cluster/authority.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { must, run } from '../../../tools/process.ts';

const openssl = await run('openssl', ['version']).catch(() => undefined);
const skip = openssl?.code === 0 ? false : 'no openssl on this machine';

async function byOpenssl(file: string): Promise<string> {
  return (await must('openssl', ['x509', '-noout', '-subject_hash', '-in', file])).trim();
}

for (const [name, subject] of Object.entries({
  'plain text': '/CN=Kolla CA',
  'capitals, and leading, trailing and inner spaces': '/O=  ACME   Corp\t  Ltd /CN=  UPPER  lower  ',
  'letters beyond ASCII, whose case stays': '/C=DE/O=Überprüfung ÄÖÜ/CN=日本 CA',
  'several values in one part': '/O=Two/CN=beta+OU=Alpha+UID=x',
  'many parts':
    '/C=US/ST=California/L=San Francisco/O=Example, Inc./OU=Unit/CN=ca.example.org/emailAddress=A@Example.ORG',
  'a text longer than 127 bytes': `/O=${'Long Name '.repeat(6)}/OU=${'Another Unit '.repeat(4)}/CN=x`,
})) {
  test(`the hash is OpenSSL's for a subject with ${name}`, { skip }, async () => {
    await using directory = await privateDirectory('hash');
    const [file, key] = [join(directory.path, 'ca.pem'), join(directory.path, 'key.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-utf8', '-multivalue-rdn'];
    await must('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', file, '-subj', subject]);
    assert.equal(subjectHash(new X509Certificate(await readFile(file))), await byOpenssl(file));
  });
}

test("the hash is the link's name for every CA in this machine's store", async (t) => {
  const store = '/etc/ssl/certs';
  const links = (await readdir(store).catch(() => [])).filter((name) => /^[0-9a-f]{8}\.\d+$/.test(name));
  if (links.length === 0) return t.skip('no hash links in /etc/ssl/certs');
  for (const link of links) {
    const certificate = new X509Certificate(await readFile(join(store, link)));
    assert.equal(subjectHash(certificate), link.slice(0, 8), certificate.subject);
  }
});

test('an empty subject has a hash as well', () => {
  const { certificate } = makeAuthority('');
  assert.match(subjectHash(new X509Certificate(certificate)), /^[0-9a-f]{8}$/);
});

test('an invalid certificate is an error, not a wrong name', () => {
  for (const raw of [Buffer.alloc(0), Buffer.from([0x30, 0x05, 1]), Buffer.from('3003300102', 'hex')])
    assert.throws(() => subjectHash({ raw }), RangeError);
});
