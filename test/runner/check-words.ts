/** `node test/runner/check-words.ts`: exits with 1 and lists the wordings to change. */
import { problems } from './words.ts';

const found = await problems();
for (const problem of found) console.error(problem);
process.exitCode = found.length === 0 ? 0 : 1;
