/**
 * What comes from other people, is large, and is needed by several names but by none at every start: each lies in the
 * binary once, and is read when an import() that needs it is reached.
 *
 *   the library's name in the binary -> the imports by which it is asked for
 *
 * valibot is not here: what tree shaking leaves of it is 4 KB, and a schema is made when its file is loaded.
 */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  chokidar: ['chokidar'],
  diff: ['diff'],
  'js-yaml': ['js-yaml'],
  'jsonpath-plus': ['jsonpath-plus'],
  'kube-config': ['@kubernetes/client-node/dist/config.js'],
  mysql2: ['mysql2/promise'],
};

const BY_IMPORT = new Map(Object.entries(LIBRARIES).flatMap(([name, ids]) => ids.map((id) => [id, name] as const)));

/** The library that provides this import: `mysql2/promise` -> `mysql2`. */
export function libraryOf(id: string): string | undefined {
  return BY_IMPORT.get(id);
}

/** `@kubernetes/client-node/dist/config.js` -> `@kubernetes/client-node`, `mysql2/promise` -> `mysql2`. */
export function packageOf(id: string): string {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The packages in a library. */
export function packagesOf(library: string): string[] {
  return (LIBRARIES[library] ?? []).map(packageOf);
}
