import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, isReached, reachedFrom } from './changed.ts';

test('a file depends on its imports, transitively, and on itself', () => {
  const imports: Readonly<Record<string, readonly string[]>> = { a: ['b'], b: ['c', 'a'], d: ['a'] };
  assert.deepEqual([...reachedFrom('a', (file) => imports[file] ?? [])], ['a', 'b', 'c']);
});

test('imports of values, of types, at run time and by URL are found', () => {
  assert.deepEqual(importsOf('test/support/helper.ts').toSorted(), [
    'build/from-source.ts',
    'src/toolbox/install/core-names.ts',
    'test/cluster/on-core.ts',
    'test/support/bundled.ts',
    'tools/process.ts',
  ]);
  assert.ok(importsOf('test/support/bundled.ts').includes('build/text-modules.ts'), 'import()');
  assert.ok(importsOf('src/probe/index.ts').length > 0);
});

test('a changed source affects the tests that import it, and those that run helpers', () => {
  const changed = ['src/probe/checks/tcp.ts'];
  assert.ok(isReached('test/probe/checks/tcp.test.ts', changed, []));
  assert.ok(isReached('test/contract/healthcheck.test.ts', changed, []));
  assert.ok(!isReached('test/runner/pool.test.ts', changed, []));
});

test('a changed fixture affects the test that names its directory', () => {
  assert.ok(isReached('test/config/volumes/example.test.ts', ['k8s/examples/keystone/config.json'], []));
});

test('a changed non-TypeScript file affects the suites that read it', () => {
  assert.ok(isReached('test/runner/pool.test.ts', ['docs/reference/cli.md'], ['docs/**']));
  assert.ok(!isReached('test/runner/pool.test.ts', ['docs/reference/cli.md'], ['k8s/**']));
});
