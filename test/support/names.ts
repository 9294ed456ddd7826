import { createHash } from 'node:crypto';
import { relative } from 'node:path';

const DIGITS = 9;
/** Of this test file, the same in every run: what a run leaves in a log is found again in the next. */
const FILE_NUMBER = numberOf(relative(process.cwd(), process.argv[1] ?? ''));
let names = 0;

function numberOf(text: string): string {
  const hash = createHash('sha256').update(text).digest().readUIntBE(0, 6);
  return String(hash % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** A name for a database or an account that no other test file has, a new one at each call: `keystone3120459871`. */
export function databaseName(purpose: string): string {
  return `${purpose}${FILE_NUMBER}${++names}`;
}

/** The same for a namespace, or for an object that lies in none: `openstack-3120459871`. */
export function namespaceName(purpose: string): string {
  return databaseName(`${purpose}-`);
}
