import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { build, type Metafile } from 'esbuild';
import { librariesApart, librariesIn, refuseStrangers } from '../../build/apart.ts';
import { bundleHelper, bundleLibrary, ROOT } from '../../build/bundle.ts';
import { createLoader } from '../../build/load.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

const WARM = new URL('../../build/warm.ts', import.meta.url).pathname;

/** The external imports of a bundle of these lines, with the libraries left out. */
async function asked(contents: string, resolveDir = ROOT): Promise<Metafile> {
  const { metafile } = await build({
    stdin: { contents, resolveDir },
    plugins: [librariesApart(undefined)],
    bundle: true,
    metafile: true,
    platform: 'node',
    write: false,
    logLevel: 'silent',
    absWorkingDir: ROOT,
  });
  return metafile;
}

test("an exec probe's bundle is small, and imports libraries instead of containing them", async () => {
  const { source, metafile } = await bundleHelper('kolla-probe');
  assert.ok(source.length < 512 * 1024, `${source.length} bytes`);
  assert.deepEqual(librariesIn(metafile), ['dns-packet', 'js-yaml', 'kube-config']);
});

test('a library imports another one instead of containing a copy', async () => {
  const { metafile } = await bundleLibrary('kube-config');
  assert.ok(librariesIn(metafile).includes('js-yaml'));
  assert.deepEqual(
    Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/js-yaml/')),
    [],
  );
});

test('another version of a package, needed by one dependency, stays with that dependency', async () => {
  await using directory = await privateDirectory('version');
  const own = join(directory.path, 'node_modules/js-yaml');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'package.json'), '{"main": "index.js"}');
  await writeFile(join(own, 'index.js'), 'exports.version = 3;');
  const line = `console.log(require('js-yaml'));`;
  assert.deepEqual(librariesIn(await asked(line, directory.path)), []);
  assert.deepEqual(librariesIn(await asked(line)), ['js-yaml']);
});

test('a package is imported by a path that its library has; others would add a copy', async () => {
  const deep = asked(`console.log(require('@kubernetes/client-node/dist/watch.js'));`);
  await assert.rejects(
    deep,
    /'@kubernetes\/client-node\/dist\/watch.js' is imported under a name that build\/libraries.ts does not list/,
  );
});

test('a package without a library, and our own module in a library, fail the build', () => {
  const of = (path: string) => ({ inputs: { [path]: { bytes: 1, imports: [] } }, outputs: {} });
  const path = 'node_modules/@scope/big/index.js';
  assert.throws(
    () => refuseStrangers('kolla-init', undefined, of(path)),
    /big\/index.js is in the bundle of kolla-init/,
  );
  assert.throws(() => refuseStrangers('diff', 'diff', of('src/core/errors.ts')), /errors.ts, which is ours/);
  refuseStrangers('kolla-init', undefined, of('src/core/errors.ts'));
  refuseStrangers('diff', 'diff', of(path));
});

/** A bundle whose export `main` returns the result of an import when it is called. */
const ASKING = `(function (exports, require) {
  exports.main = async () => (await Promise.resolve().then(() => require('js-yaml'))).load;
  exports.warm = async () => {};
})`;
const ANSWERING = `(function (exports) { exports['js-yaml'] = { load: {} }; })`;

test('a library is loaded on first use, and only once', async () => {
  const read: string[] = [];
  const scriptOf = (name: string) => {
    read.push(name);
    return new Script(name === 'kolla-x' ? ASKING : ANSWERING);
  };
  const loader = createLoader(scriptOf, () => assert.fail('no builtin is requested'));
  const { main } = loader.helper('kolla-x');
  assert.deepEqual(read, ['kolla-x']);
  assert.equal(await main([], {}), await main([], {}));
  assert.deepEqual(read, ['kolla-x', 'js-yaml']);
});

test('a name that would load a library on each start fails the build', async () => {
  await using directory = await privateDirectory('warm');
  const eager = ASKING.replace('{', `{ require('js-yaml');`);
  await writeFile(join(directory.path, 'kolla-x.js'), eager);
  await writeFile(join(directory.path, 'js-yaml.js'), ANSWERING);
  const { code, stderr } = await run(process.execPath, [WARM, 'kolla-x'], { cwd: directory.path, env: {} });
  assert.notEqual(code, 0);
  assert.match(stderr, /kolla-x would load js-yaml at each start: load it by import\(\) where it is needed/);
});
