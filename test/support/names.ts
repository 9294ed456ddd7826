import { createHash } from 'node:crypto';
import { relative } from 'node:path';

const DIGITS = 9;
/** A file is run on several engines at once, on the same servers: each run has names of its own. */
const { KOLLA_ON_CORE: onCore = '', KOLLA_CORE_SANITIZED: sanitized = '' } = process.env;
/** Derived from this test file and the same in every run, so that log entries of several runs can be compared. */
const FILE_NUMBER = numberOf([relative(process.cwd(), process.argv[1] ?? ''), onCore, sanitized].join('\0'));
let names = 0;

function numberOf(text: string): string {
  const hash = createHash('sha256').update(text).digest().readUIntBE(0, 6);
  return String(hash % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** A name for a database or account, unique per test file, engine and call: `keystone3120459871`. */
export function databaseName(purpose: string): string {
  return `${purpose}${FILE_NUMBER}${++names}`;
}

/** The same for a namespace or a cluster-scoped object: `openstack-3120459871`. */
export function namespaceName(purpose: string): string {
  return databaseName(`${purpose}-`);
}
