import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleWith, certificatesOf } from '../../../src/container/ca/pem.ts';
import { makeAuthority } from '../../cluster/authority.ts';

const [one, two] = [makeAuthority('One'), makeAuthority('Two')];

test('several certificates with text around them are read in order', () => {
  const found = certificatesOf(`# One\r\n${one.certificate.replaceAll('\n', '\r\n')}\ntext\n${two.certificate}`);
  assert.deepEqual(
    found.map((certificate) => certificate.toString()),
    [one.certificate, two.certificate],
  );
});

for (const [name, text, wanted] of [
  ['an empty file', '', /contains no PEM certificate/],
  ['text', 'hello', /contains no PEM certificate/],
  ['DER', '\x30\x82\x01\x02', /contains no PEM certificate/],
  ['a truncated certificate', one.certificate.slice(0, 300), /does not end/],
  ['a truncated second certificate', one.certificate + two.certificate.slice(0, 300), /does not end/],
  // With quadratic run time this would take hours.
  ['a text of BEGIN markers', '-----BEGIN '.repeat(50_000), /does not end/],
  ['a text of BEGIN CERTIFICATE lines', '-----BEGIN CERTIFICATE-----\n'.repeat(50_000), /does not end/],
  ['damaged text', one.certificate.replace(/^MII/m, 'AAA'), /certificate 1 of 1 can't be read/],
  ['a certificate with a private key', one.certificate + one.key, /private key/],
] as const) {
  test(`${name} is rejected with the reason`, () => {
    assert.throws(() => certificatesOf(text), wanted);
  });
}

test('a bundle keeps its text, and missing certificates are appended once', () => {
  const own = `# mine\n${one.certificate.trimEnd()}`;
  const added = certificatesOf(one.certificate + two.certificate + two.certificate);
  assert.equal(bundleWith(own, added), `${own}\n${two.certificate}`);
  assert.equal(bundleWith(own, certificatesOf(one.certificate)), own);
  assert.equal(bundleWith('', certificatesOf(two.certificate)), two.certificate);
});
