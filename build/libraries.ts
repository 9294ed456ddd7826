/**
 * Packages that are large and needed by several commands, but by none at every start: the binary contains each once, and
 * reads it on the first import() that needs it.
 *
 *   the library's name in the binary -> the imports that it provides
 *
 * valibot is not included: tree shaking reduces it to 4 KB, and schemas are created when their file is loaded.
 */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  diff: ['diff'],
  'dns-packet': ['dns-packet'],
  'js-yaml': ['js-yaml'],
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
