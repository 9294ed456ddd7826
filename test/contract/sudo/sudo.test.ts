/** Runs the cases of sudo on Node. */
import { HELPERS } from '../../support/helper.ts';
import { testSudo } from './cases.ts';

await testSudo({
  line: `'${process.execPath}' '${HELPERS}' sudo`,
  directories: [],
  missing: undefined,
  raised: [process.execPath, HELPERS, 'sudo'],
});
