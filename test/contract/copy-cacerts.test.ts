import { testAsKolla } from './copy-cacerts/as-kolla.ts';
import { testDebianStore } from './copy-cacerts/debian-store.ts';
import { HELPERS } from '../support/helper.ts';

const ours = {
  line: `'${process.execPath}' '${HELPERS}' kolla_copy_cacerts`,
  directories: [],
  missing: undefined,
};

await testAsKolla(ours);
await testDebianStore(ours);
