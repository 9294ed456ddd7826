/** Subject hashes and digests of the certificates in a JSON file, run by either engine. */
import { readFileSync } from 'node:fs';
import { subjectHash } from '../../../src/container/ca/subject-hash.ts';
import { readCertificate, sha256 } from '#digest';

export function hashOf(pem: string): string {
  try {
    const certificate = readCertificate(pem);
    return `${subjectHash(certificate)} ${sha256([certificate.raw, certificate.toString()])}`;
  } catch {
    return 'refused';
  }
}

export function main([file = '']: string[]): Promise<number> {
  const pems = JSON.parse(readFileSync(file, 'utf8')) as string[];
  process.stdout.write(JSON.stringify(pems.map(hashOf)));
  return Promise.resolve(0);
}
