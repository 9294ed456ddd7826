import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../../build/bundle.ts';

/** Names and texts of files from the repository's root, as a part of a cache's key. */
export function textsOf(files: readonly string[]): string[] {
  return files.flatMap((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);
}

/** What only the operator's image has. */
export function operatorSources(): string[] {
  const files = globSync('{tools/helm,k8s/charts/**}/*', { cwd: ROOT, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return textsOf(files.map((one) => relative(ROOT, join(one.parentPath, one.name))).toSorted());
}
