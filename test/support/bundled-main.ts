/** The dispatcher of the bundled helpers (bundled.ts), next to the bundle of each. */
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { ALL_NAMES } from '../../build/names.ts';
import { dispatch, type HelperModule } from '../../src/cli/dispatch.ts';
import { keepInspectorClosed } from '../../src/cli/no-inspector.ts';

// Like the binary's code cache. Users who may not write here only read it.
enableCompileCache(join(import.meta.dirname, 'compiled'));
const require = createRequire(import.meta.url);

keepInspectorClosed();
const [called = 'kolla-pod', ...argv] = process.argv.slice(2);
await dispatch(called, argv, ALL_NAMES, (name) =>
  Promise.resolve(require(join(import.meta.dirname, 'cmd', `${name}.cjs`)) as HelperModule),
);
