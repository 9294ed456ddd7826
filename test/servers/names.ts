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

/** A database's or an account's name that no other test file has, a new one at each call: `keystone3120459871`. */
export function databaseName(purpose: string): string {
  return `${purpose}${FILE_NUMBER}${++names}`;
}

/** The name of a namespace, or of what lies in none, that no other test file has: `openstack-312045987`. */
export function namespaceName(purpose: string): string {
  return `${purpose}-${FILE_NUMBER}`;
}
