/**
 * Test files affected by the changed files:
 *
 *   git's list of differences from where the branch left its upstream -> each test file's transitive imports ->
 *   affected tests
 *
 * A test that starts helpers as processes imports `test/support/helper.ts`, which depends on all of `cmd/`.
 * Non-TypeScript files (charts, pages, images) affect the suites that list them in `reads`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { must } from '../../tools/process.ts';

/** Dependencies that are run, read or bundled instead of imported. */
const BESIDES: Readonly<Record<string, string>> = {
  'test/support/bundled.ts': 'cmd/*.ts',
  'build/binary.ts': 'cmd/*.ts',
};

/** Every file that differs from the upstream branch, committed or not, and untracked ones. */
export async function changedFiles(): Promise<string[]> {
  const upstream = await must('git', ['rev-parse', '--verify', '--quiet', '@{upstream}']).catch(() => 'HEAD');
  const base = (await must('git', ['merge-base', 'HEAD', upstream.trim()])).trim();
  const names = await Promise.all([
    must('git', ['diff', '--name-only', '--no-renames', base]),
    must('git', ['ls-files', '--others', '--exclude-standard']),
  ]);
  return [...new Set(names.flatMap((text) => text.split('\n')).filter((name) => name !== ''))].toSorted();
}

/**
 * @param file from the repository's root
 * @param imports returns a file's imports, from the repository's root
 * @returns the file and its transitive dependencies
 */
export function reachedFrom(file: string, imports: (file: string) => readonly string[]): Set<string> {
  const reached = new Set([file]);
  for (const each of reached) for (const imported of imports(each)) reached.add(imported);
  return reached;
}

const IMPORT = /(?:from |import |import\()'((?:\.{1,2}\/|#)[^']+)'|new URL\('([^':]+)', import\.meta\.url\)/g;
const { imports: ALIASES } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly imports: Readonly<Record<string, { readonly default: string } | undefined>>;
};
const known = new Map<string, readonly string[]>();

/** Repository files that a file references: by import, or by URL as for fixtures. */
export function importsOf(file: string): readonly string[] {
  const former = known.get(file);
  if (former !== undefined) return former;
  const text = existsSync(file) && file.endsWith('.ts') ? readFileSync(file, 'utf8') : '';
  const named = [...text.matchAll(IMPORT)].map(
    ([, module = '', url]) => ALIASES[module]?.default ?? join(dirname(file), url ?? module),
  );
  const besides = BESIDES[file];
  const imports = [...named.map(normalize), ...(besides === undefined ? [] : globSync(besides))];
  known.set(file, imports);
  return imports;
}

/**
 * @param changed from the repository's root
 * @param reads globs of what the file's suite reads besides its imports
 */
export function isReached(file: string, changed: readonly string[], reads: readonly string[]): boolean {
  const reached = reachedFrom(file, importsOf);
  const isBelow = (directory: string, name: string) => name.startsWith(`${directory.replace(/\/$/, '')}/`);
  return changed.some(
    (name) =>
      reached.has(name) ||
      [...reached].some((each) => !each.endsWith('.ts') && isBelow(each, name)) ||
      reads.some((pattern) => matchesGlob(name, pattern)),
  );
}
