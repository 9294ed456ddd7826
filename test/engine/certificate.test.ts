import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCertificate } from '../../src/engine/x509/certificate.ts';
import { subjectHash } from '../../src/container/ca/subject-hash.ts';
import { der, integer, objectIdentifier, octetString, sequence, setOf, utf8String } from '../cluster/der.ts';
import { assertRefusedOrSame, byNode, byOurs, certificateOf, damaged, nameOf, pemOf } from './certificates.ts';
import { SUBJECTS } from './subjects.ts';
import { canRunOpenssl, hashesByOpenssl } from './openssl.ts';

const skip = (await canRunOpenssl()) ?? false;

for (const [name, subject] of Object.entries(SUBJECTS)) {
  const pem = pemOf(certificateOf({ subject }));

  test(`parses as in Node: a subject of ${name}`, () => {
    const [ours, nodes] = [readCertificate(pem), byNode(pem)];
    assert.deepEqual(ours.raw, nodes?.raw);
    assert.equal(ours.toString(), nodes?.toString());
  });

  test(`the hash is OpenSSL's, even for damaged bytes: a subject of ${name}`, { skip }, async () => {
    const others = Array.from(damaged(subject, 12, 21), (bytes) => pemOf(certificateOf({ subject: bytes })));
    const all = [pem, ...others.filter((other) => assertRefusedOrSame(other) !== undefined)];
    assert.deepEqual(
      all.map((each) => subjectHash(readCertificate(each))),
      await hashesByOpenssl(all),
    );
  });
}

test('is rejected when truncated at any byte', () => {
  const whole = certificateOf({});
  for (let length = 0; length < whole.length; length++)
    assert.equal(byOurs(pemOf(whole.subarray(0, length))), undefined, `${length} bytes`);
});

const id = (tag: number, ...bytes: number[]) => der(tag, Buffer.from(bytes));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const algorithm = (parameters: Buffer) => sequence(objectIdentifier('1.2.840.113549.1.1.11'), parameters);
const extensions = (...parts: Buffer[]) => der(0xa3, sequence(sequence(...parts)));

for (const [name, fields] of Object.entries({
  'no version, as in X.509 version 1': { version: Buffer.alloc(0), rest: Buffer.alloc(0) },
  'ids of issuer and subject': { rest: Buffer.concat([id(0x81, 0, 1), id(0x82, 3, 8)]) },
  'parameters that are NULL': { algorithm: algorithm(id(0x05)) },
  'parameters that are a sequence of anything': { algorithm: algorithm(id(0x30, 1, 2, 3)) },
  'parameters of no universal type': { algorithm: algorithm(id(0xa0, 1, 2, 3)) },
  'a serial number below 0': { serial: id(0x02, 0xff, 0x01) },
  'times with a four-digit year': {
    validity: sequence(...['20260101000000Z', '20990101000000Z'].map((t) => der(0x18, Buffer.from(t)))),
  },
  'an extension without a flag': { rest: extensions(objectIdentifier('2.5.29.14'), octetString(Buffer.from([9]))) },
})) {
  test(`parses as in Node: ${name}`, () => {
    const pem = pemOf(certificateOf(fields));
    assert.deepEqual(readCertificate(pem).raw, byNode(pem)?.raw);
  });
}

for (const [name, fields] of Object.entries({
  'a string type that names do not have': { subject: nameOf([id(0x1a, 0x41)]) },
  'an attribute without a value': { subject: sequence(setOf(sequence(COMMON_NAME))) },
  'an attribute with two values': { subject: sequence(setOf(sequence(COMMON_NAME, utf8String('a'), utf8String('b')))) },
  'invalid UTF-8': { subject: nameOf([id(0x0c, 0xc3, 0x28)]) },
  'a lone surrogate in UTF-8': { subject: nameOf([id(0x0c, 0xed, 0xa0, 0x80)]) },
  'a lone surrogate in a BMPString': { subject: nameOf([id(0x1e, 0xd8, 0x00)]) },
  'half of a character in a BMPString': { subject: nameOf([id(0x1e, 0x00, 0x41, 0x00)]) },
  'a code point beyond Unicode in a UniversalString': { subject: nameOf([id(0x1c, 0, 0x11, 0, 0)]) },
  'invalid UTF-8 in the issuer': { issuer: nameOf([id(0x0c, 0xff)]), subject: nameOf([utf8String('x')]) },
  'a serial number in too many bytes': { serial: id(0x02, 0, 1) },
  'a negative serial number in too many bytes': { serial: id(0x02, 0xff, 0x80) },
  'a serial number without bytes': { serial: id(0x02) },
  'an unterminated algorithm identifier': { algorithm: sequence(id(0x06, 0x2a, 0x86)) },
  'an algorithm identifier in too many bytes': { algorithm: sequence(id(0x06, 0x2a, 0x80, 0x01)) },
  'an empty algorithm identifier': { algorithm: sequence(id(0x06)) },
  'NULL with content': { algorithm: algorithm(id(0x05, 0)) },
  'two parameters': { algorithm: sequence(objectIdentifier('1.2.3'), id(0x05), id(0x05)) },
  'a flag of two bytes': {
    rest: extensions(objectIdentifier('2.5.29.14'), id(0x01, 0xff, 0xff), octetString(Buffer.alloc(0))),
  },
  'an extension without a value': { rest: extensions(objectIdentifier('2.5.29.14')) },
  'more than eight unused bits': { signature: id(0x03, 8, 0) },
  'bits without their count of unused bits': { signature: id(0x03) },
  'a time that is too short': {
    validity: sequence(der(0x17, Buffer.from('2601010000Z')), der(0x17, Buffer.from('360101000000Z'))),
  },
  'a validity with a single time': { validity: sequence(der(0x17, Buffer.from('260101000000Z'))) },
  'data after the signature': { more: integer(Buffer.from([1])) },
  'data after the extensions': {
    rest: Buffer.concat([extensions(COMMON_NAME, octetString(Buffer.alloc(0))), id(0x05)]),
  },
})) {
  test(`is rejected, as in Node: ${name}`, () => {
    const pem = pemOf(certificateOf(fields));
    assert.equal(byNode(pem), undefined);
    assert.throws(() => readCertificate(pem), RangeError);
  });
}

test('is rejected, as in Node: data after the certificate', () => {
  const pem = pemOf(Buffer.concat([certificateOf({}), id(0x05)]));
  assert.equal(byNode(pem), undefined);
  assert.throws(() => readCertificate(pem), /trailing data in the block/);
});

/** OpenSSL accepts these, our parser does not: DER has exactly one encoding. */
const longer = (whole: Buffer) => Buffer.concat([Buffer.from([whole[0]!, 0x83, 0]), whole.subarray(2)]);
for (const [name, bytes, reason] of [
  ['a length in more bytes than it needs', longer(certificateOf({})), /a length in more bytes than it needs/],
  [
    'a length that the end tells',
    Buffer.concat([id(0x30).fill(0x80, 1), certificateOf({}).subarray(4), Buffer.alloc(2)]),
    /a length in more bytes than it needs, or in none/,
  ],
  [
    'unused bits that are set',
    certificateOf({ signature: id(0x03, 4, 0xff) }),
    /the signature in the certificate does not match its tag 0x3/,
  ],
] as const) {
  test(`is rejected only by our parser, with the reason: ${name}`, () => {
    assert.ok(byNode(pemOf(bytes)));
    assert.throws(() => readCertificate(pemOf(bytes)), reason);
  });
}

const PEM = pemOf(certificateOf({}));
const FILLED = ['x', 'xx', 'xxx']
  .map((text) => pemOf(certificateOf({ subject: nameOf([utf8String(text)]) })))
  .find((pem) => pem.includes('='))!;
for (const [name, pem] of Object.entries({
  'CRLF line endings': PEM.replaceAll('\n', '\r\n'),
  'spaces at the ends of lines': PEM.replaceAll('\n', ' \t\n'),
  'lines of 76 characters': PEM.replaceAll(/\n(?!-)/g, '')
    .replace('-----M', '-----\nM')
    .replaceAll(/.{76}(?!-)/g, '$&\n'),
  'the label X509 CERTIFICATE': PEM.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'),
}))
  test(`PEM parses as in Node: ${name}`, () => assert.deepEqual(byOurs(pem)?.raw, byNode(pem)?.raw ?? pem));

for (const [name, pem] of Object.entries({
  'text on the BEGIN line': PEM.replace('-----\n', '-----'),
  'text before the END marker on its line': PEM.replace('\n-----END', '-----END'),
  'a character outside base64': PEM.replace('M', '_'),
  'a missing character': PEM.replace('\nM', '\n'),
  'missing padding': FILLED.replace(/=+/, ''),
  'padding in the middle': PEM.replace('\nMIIB', '\nMI==MIIB'),
  nothing: '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
  'an empty file': '',
  'a NUL': PEM.replace('M', '\0'),
})) {
  test(`PEM is rejected, as in Node: ${name}`, () => {
    assert.equal(byNode(pem), undefined);
    assert.throws(() => readCertificate(pem), RangeError);
  });
}
