/** Compares kolla_start on Node with Kolla's start.sh. */
import { HELPERS } from '../support/helper.ts';
import { testAsKolla } from './kolla-start/as-kolla.ts';

const line = `'${process.execPath}' '${HELPERS}' kolla_start`;
await testAsKolla({ line, directories: [], missing: undefined, handsOn: false });
