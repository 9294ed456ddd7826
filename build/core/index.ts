/** `node build/core/index.ts [DIRECTORY] [x64|arm64]`: builds kolla-core and the links of its names. */
import { stat } from 'node:fs/promises';
import { buildCore } from './make.ts';
import { TARGETS, type Architecture } from './toolchain.ts';

const [directory = 'dist', architecture = process.arch] = process.argv.slice(2);
if (!Object.hasOwn(TARGETS, architecture))
  throw new Error(`no architecture ${architecture}: ${Object.keys(TARGETS).join(', ')}`);
const { binary } = await buildCore(directory, architecture as Architecture);
console.log(`${binary}: ${((await stat(binary)).size / 2 ** 20).toFixed(2)} MiB`);
