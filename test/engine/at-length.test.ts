/**
 * Every certificate of Debian's ca-certificates, and some with unusual subjects: complete, truncated, and with a
 * changed byte.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { subjectHash } from '../../src/container/ca/subject-hash.ts';
import { readCertificate } from '../../src/engine/x509/certificate.ts';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { assertRefusedOrSame, byNode, byOurs, certificateOf, damaged, pemOf } from './certificates.ts';
import { canRunOpenssl, hashesByOpenssl } from './openssl.ts';
import { SUBJECTS } from './subjects.ts';
import { fileLimit } from '../support/file-limit.ts';

fileLimit(45);

const SHORTEST_BYTES = 200;
const CHANGES = 500;

const missing = await canUnpackDebian();
const skip = missing ?? false;
const noOpenssl = missing ?? (await canRunOpenssl()) ?? false;

async function debians(): Promise<string[]> {
  const tree = await unpackedPackages('ca-certificates', ['ca-certificates'], { dependencies: false });
  const directory = join(tree, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(directory)).toSorted();
  return await Promise.all(names.map(async (name) => (await readFile(join(directory, name), 'latin1')).trim()));
}

const DEBIAN = missing === undefined ? await debians() : [];
const ODD = Object.values(SUBJECTS).map((subject) => pemOf(certificateOf({ subject })));

test("each of Debian's certificates parses as in Node", { skip }, () => {
  assert.ok(DEBIAN.length > 100, `there are ${DEBIAN.length}`);
  for (const pem of DEBIAN) {
    const [ours, nodes] = [readCertificate(pem), byNode(pem)!];
    assert.deepEqual(ours.raw, nodes.raw);
    assert.equal(ours.toString(), nodes.toString());
  }
});

test("each of Debian's certificates has OpenSSL's hash", { skip: noOpenssl }, async () => {
  const ours = DEBIAN.map((pem) => subjectHash(readCertificate(pem)));
  assert.deepEqual(ours, await hashesByOpenssl(DEBIAN));
});

for (const [name, all] of Object.entries({
  "Debian's certificates": DEBIAN,
  'certificates with unusual subjects': ODD,
})) {
  test(`${name} are rejected when truncated`, { skip }, () => {
    for (const pem of all) {
      const { raw } = readCertificate(pem);
      for (let length = 0; length < SHORTEST_BYTES; length++)
        assert.equal(byOurs(pemOf(raw.subarray(0, length))), undefined, `${length} bytes of\n${pem}`);
    }
  });

  test(`${name} with a changed byte are rejected or parse as in Node, ${CHANGES} times each`, { skip }, (t) => {
    let accepted = 0;
    for (const [i, pem] of all.entries())
      for (const other of damaged(readCertificate(pem).raw, CHANGES, i))
        if (assertRefusedOrSame(pemOf(other)) !== undefined) accepted++;
    t.diagnostic(`${accepted} of ${all.length * CHANGES} were accepted`);
    // Fewer would make the comparison say little.
    assert.ok(accepted > (all.length * CHANGES) / 4);
  });
}
