import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { importsOf } from '../runner/changed.ts';

/** The layers of docs/concepts/architecture.md, lowest first: modules import only from lower layers, including types. */
const FLOORS: readonly (readonly string[])[] = [
  ['core'],
  ['cli'],
  ['net', 'process', 'fs', 'oslo'],
  ['kube', 'mysql', 'rabbitmq'],
  ['catalog'],
  ['config', 'wait', 'migrate', 'bootstrap', 'probe', 'logship'],
  ['container'],
  ['job', 'operator', 'sidecar'],
  ['toolbox'],
  // Files that also replace files in cmd/.
  ['engine'],
];

/** Every import that is not from a lower layer, as `file -> imported file`. */
function wrongArrows(files: readonly string[], imports: (file: string) => readonly string[]): string[] {
  const roomOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1] ?? 'of none';
  const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
  const isDown = (from: string, to: string) => floorOf(to) !== -1 && floorOf(to) < floorOf(from);
  const arrows = files.flatMap((file) =>
    imports(file)
      .filter((to) => to.startsWith('src/') && to.endsWith('.ts'))
      .filter((to) => roomOf(to) !== roomOf(file) && !isDown(file, to))
      .map((to) => `${file} -> ${to}`),
  );
  return [...new Set(arrows)].toSorted();
}

test('every directory of src is in a layer', () => {
  const rooms = globSync('src/*/').map((path) => path.replace(/^src\//, ''));
  assert.deepEqual(rooms.toSorted(), FLOORS.flat().toSorted());
});

test('src imports only from lower layers', () => {
  const found = wrongArrows(globSync('src/**/*.ts').toSorted(), importsOf);
  assert.deepEqual(found, [], 'move shared code to a lower layer');
});

test('imports from higher, equal and unknown layers are reported, those from lower ones are not', () => {
  const imports: Readonly<Record<string, readonly string[]>> = {
    'src/core/a.ts': ['src/cli/b.ts', 'src/core/b.ts'],
    'src/cli/a.ts': ['src/core/a.ts', 'src/attic/a.ts'],
    'src/wait/a.ts': ['src/probe/a.ts', 'src/core/a.ts', 'test/wait/a.ts'],
    'src/attic/a.ts': ['src/core/a.ts'],
  };
  assert.deepEqual(
    wrongArrows(Object.keys(imports), (file) => imports[file] ?? []),
    [
      'src/attic/a.ts -> src/core/a.ts',
      'src/cli/a.ts -> src/attic/a.ts',
      'src/core/a.ts -> src/cli/b.ts',
      'src/wait/a.ts -> src/probe/a.ts',
    ],
  );
});
