/** `node build/binary.ts [--out DIR] [--only NAME]...`: makes the binary, runs what it made, and says how large it is. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './bundle.ts';
import { buildBinary } from './make.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: `${ROOT}/dist` }, only: { type: 'string', multiple: true } },
});
const began = performance.now();
const say = (text: string) => process.stderr.write(`  ${text}\n`);
const built = await buildBinary(resolve(values.out), say, values.only);
say(`${built.binary} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
