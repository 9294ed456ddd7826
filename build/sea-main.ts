/** The binary's first lines: runs the called command from its asset, with its code cache. */
import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { dispatch } from '../src/cli/dispatch.ts';
import { keepInspectorClosed } from '../src/cli/no-inspector.ts';
import { refuseRaised } from '../src/cli/raised.ts';
import { assetNames, createLoader } from './load.ts';
import { becomeCore } from '../src/cli/become-core.ts';
import { ALL_NAMES, CORE_ONLY_NAMES } from './names.ts';

keepInspectorClosed();

const { helper } = createLoader(scriptOf, require);
// eslint-disable-next-line typescript/no-floating-promises -- the bundle is a cjs script, which has no top-level await
dispatch(process.argv0, process.argv.slice(2), ALL_NAMES, (name) => {
  refuseRaised(name);
  if (CORE_ONLY_NAMES.includes(name)) return Promise.resolve({ main: becomeCore(name) });
  return Promise.resolve(helper(name));
});

function scriptOf(name: string): Script {
  const { source, cache } = assetNames(name);
  const text = Buffer.from(getRawAsset(source)).toString('latin1');
  return new Script(text, { filename: `/${source}`, cachedData: Buffer.from(getRawAsset(cache)) });
}
