/** `node test/runner/check-words.ts`: exit code 1 with what is to be worded otherwise. */
import { problems } from './words.ts';

const found = await problems();
for (const problem of found) console.error(problem);
process.exitCode = found.length === 0 ? 0 : 1;
