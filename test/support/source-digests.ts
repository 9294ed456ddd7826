/**
 * Digests of the sources, as parts of cache keys. A run reads them once and passes them to its test files, since finding
 * and reading a thousand files costs each file's process more than most tests.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const VARIABLE = 'KOLLA_POD_TEST_SOURCES';
/** The repository is a part of the value: a test may run those of another clone. */
const AT = `${ROOT}=`;

const PATTERNS = {
  /** The helpers without the binary. */
  helpers: ['{cmd,src}/**/*.{ts,json,html,css,ndjson}', 'package.json', 'package-lock.json'],
  /** The binary and its images. */
  binary: [
    '{build,cmd,src,tools}/**/*.{ts,json,html,css}',
    'native/*.{c,h}',
    'package.json',
    'package-lock.json',
    'LICENSE',
  ],
} as const;
export type Sources = keyof typeof PATTERNS;

const known: Partial<Record<Sources, string>> = fromRun(process.env);

/** A digest of the names and texts of these sources: as of the start of the run, or now if no run has passed it. */
export function digestOf(sources: Sources): string {
  return (known[sources] ??= read(sources));
}

/** Variables that pass the digests to a run's test files. */
export function digestsInEnv(): Readonly<Record<string, string>> {
  const all = Object.fromEntries(Object.keys(PATTERNS).map((sources) => [sources, digestOf(sources as Sources)]));
  return { [VARIABLE]: `${AT}${JSON.stringify(all)}` };
}

function fromRun(env: NodeJS.ProcessEnv): Partial<Record<Sources, string>> {
  const value = env[VARIABLE] ?? '';
  return value.startsWith(AT) ? (JSON.parse(value.slice(AT.length)) as Record<Sources, string>) : {};
}

function read(sources: Sources): string {
  const digest = createHash('sha256');
  for (const file of globSync(PATTERNS[sources], { cwd: ROOT }).toSorted())
    digest
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return digest.digest('hex');
}
