import { HELPERS } from '../support/helper.ts';
import { testAsKolla } from './copy-cacerts/as-kolla.ts';

await testAsKolla({
  line: `'${process.execPath}' '${HELPERS}' kolla_copy_cacerts`,
  directories: [],
  missing: undefined,
});
