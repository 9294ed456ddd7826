import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { importsOf } from '../runner/changed.ts';

/** The layers of docs/concepts/architecture.md, lowest first: modules import only from lower layers, including types. */
const FLOORS: readonly (readonly string[])[] = [
  ['core'],
  ['cli'],
  ['net', 'process', 'fs', 'oslo'],
  ['kube', 'mysql', 'rabbitmq'],
  ['catalog'],
  ['config', 'wait', 'migrate', 'provision', 'probe', 'logship'],
  ['container'],
  ['bootstrap', 'operator', 'sidecar'],
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

/**
 * A circle of imports between the directories of one room, the first twice; empty if there is none. Inside a room, what
 * directories share is in a directory of its own below them.
 */
function circleOf(files: readonly string[], imports: (file: string) => readonly string[]): string[] {
  const below = new Map<string, Set<string>>();
  const roomOf = (path: string) => path.split('/')[1];
  for (const file of files) {
    const own = dirname(file);
    const found = below.get(own) ?? new Set();
    for (const to of imports(file).map((path) => dirname(path)))
      if (to !== own && to.startsWith('src/') && roomOf(to) === roomOf(own)) found.add(to);
    below.set(own, found);
  }
  const done = new Set<string>();
  const from = (directory: string, way: readonly string[]): string[] => {
    if (way.includes(directory)) return [...way.slice(way.indexOf(directory)), directory];
    if (done.has(directory)) return [];
    for (const next of below.get(directory) ?? []) {
      const circle = from(next, [...way, directory]);
      if (circle.length > 0) return circle;
    }
    done.add(directory);
    return [];
  };
  for (const directory of below.keys()) {
    const circle = from(directory, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test('every directory of src is in a layer', () => {
  const rooms = globSync('src/*/').map((path) => path.replace(/^src\//, ''));
  assert.deepEqual(rooms.toSorted(), FLOORS.flat().toSorted());
});

test('src imports only from lower layers', () => {
  const found = wrongArrows(globSync('src/**/*.ts').toSorted(), importsOf);
  assert.deepEqual(found, [], 'move shared code to a lower layer');
});

test('one file imports the YAML parser, behind its budget', () => {
  const files = globSync(['cmd/**/*.ts', 'src/**/*.ts']).toSorted();
  const importing = files.filter((file) => /['"]js-yaml['"]/.test(readFileSync(file, 'utf8')));
  assert.deepEqual(importing, ['src/core/yaml.ts'], 'parse YAML by src/core/yaml.ts');
});

test('the directories of a room import each other in one direction', () => {
  assert.deepEqual(
    circleOf(globSync('src/**/*.ts').toSorted(), importsOf),
    [],
    'move what they share to a directory below',
  );
});

test('a circle is reported over any number of directories, one between rooms is not', () => {
  const circleIn = (imports: Readonly<Record<string, readonly string[]>>) =>
    circleOf(Object.keys(imports), (file) => imports[file] ?? []);
  assert.deepEqual(
    circleIn({ 'src/a/one.ts': ['src/a/b/x.ts', 'src/a/c/x.ts'], 'src/a/b/x.ts': ['src/a/c/x.ts'] }),
    [],
  );
  assert.deepEqual(circleIn({ 'src/a/one.ts': ['src/a/b/x.ts'], 'src/a/b/y.ts': ['src/a/two.ts'] }), [
    'src/a',
    'src/a/b',
    'src/a',
  ]);
  const three = {
    'src/a/b/x.ts': ['src/a/c/x.ts'],
    'src/a/c/y.ts': ['src/a/d/x.ts'],
    'src/a/d/y.ts': ['src/a/b/z.ts'],
  };
  assert.deepEqual(circleIn(three), ['src/a/b', 'src/a/c', 'src/a/d', 'src/a/b']);
  assert.deepEqual(circleIn({ 'src/a/b/x.ts': ['src/c/d/x.ts'], 'src/c/d/x.ts': ['src/a/b/x.ts'] }), []);
});

test('a file that kolla-core replaces is imported by its name in package.json', () => {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly imports: Readonly<Record<string, { readonly default: string }>>;
  };
  const replaced = new Set(Object.values(imports).map((row) => row.default));
  const isPath = (word: string) => word.startsWith('.');
  // The engine's own files take both sides' types.
  const files = globSync(['cmd/*.ts', 'src/**/*.ts']).filter((file) => !file.startsWith('src/engine/'));
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)]
      .map(([, word = '']) => word)
      .filter((word) => isPath(word) && replaced.has(`./${join(dirname(file), word)}`))
      .map((word) => `${file} -> ${word}`),
  );
  assert.deepEqual(found, []);
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
