/** The binary's dispatcher run from source, for development: `node build/from-source.ts kolla-probe tcp HOST:PORT`. */
import { dispatch, type HelperModule } from '../src/cli/dispatch.ts';
import { keepInspectorClosed } from '../src/cli/no-inspector.ts';
import { ALL_NAMES } from './names.ts';

keepInspectorClosed();
const [called = 'kolla-pod', ...argv] = process.argv.slice(2);
await dispatch(called, argv, ALL_NAMES, (name) => import(`../cmd/${name}.ts`) as Promise<HelperModule>);
