/** `node build/wasm.ts`: compiles native/log-lines.ts to src/logship/wasm/wasm.ts. A test fails if it is stale. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { privateDirectory } from '../tools/directory.ts';
import { ROOT } from './bundle.ts';

const SOURCE = 'native/log-lines.ts';
export const COMPILED = join(ROOT, 'src/logship/wasm/wasm.ts');

/** The module as TypeScript: bundlers and Node load it without an additional file. */
export async function compiledLines(): Promise<string> {
  await using directory = await privateDirectory('wasm');
  const out = join(directory.path, 'lines.wasm');
  // The compiler runs in its own process: the types of its API replace those of JavaScript's arrays everywhere.
  const asc = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
  const options = ['--optimize', '--enable', 'simd', '--runtime', 'stub', '--importMemory', '--noExportMemory'];
  await promisify(execFile)(process.execPath, [asc, SOURCE, '--outFile', out, ...options, '--use', 'abort='], {
    cwd: ROOT,
  });
  const lines = (await readFile(out)).toString('base64').match(/.{1,100}/g) ?? [];
  return `// Made by build/wasm.ts from ${SOURCE}.\nexport const WASM =\n${lines.map((line) => `  '${line}'`).join(' +\n')};\n`;
}

if (import.meta.main) writeFileSync(COMPILED, await compiledLines());
