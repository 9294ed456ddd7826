/**
 * `MINUTES=60 SEED=1 node bench/soak/core-fuzz.ts`: runs kolla-core's kolla_set_configs, built with AddressSanitizer and
 * UndefinedBehaviorSanitizer, on damaged input.
 *
 *   seed and number -> a generated case (files, config.json) -> changed bytes in config.json, passwd and group; some cases
 *   with config.yaml instead -> one run as root in its own root -> exits with 0, 1 or 2, without a signal or a report of
 *   a bug or a sanitizer
 *
 * Any other case is kept in test/native/corpus/ and makes the run exit with 1.
 */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';

process.env['KOLLA_CORE_SANITIZED'] = '1';
const { coreBinary, placeCore } = await import('../../test/cluster/core-binary.ts');
const { generateCase } = await import('../../test/contract/set-configs/property/generate.ts');
const { CONFIG } = await import('../../test/contract/set-configs/play.ts');
const { plant } = await import('../../test/contract/set-configs/tree.ts');
const { oneOf, randomFrom } = await import('../../test/support/random.ts');

const MINUTES = Number(process.env['MINUTES'] || 60);
const SEED = Number(process.env['SEED'] || 1);
const CORPUS = join(import.meta.dirname, '../../test/native/corpus');
const CODES = new Set([0, 1, 2]);
const BUG = /Sanitizer|runtime error|our bug/;
/** Inputs that are difficult for parsers, in addition to random bytes. */
const PIECES = [
  '"',
  '\\',
  '{',
  '[',
  ']',
  '}',
  ':',
  ',',
  '\0',
  '\n',
  '\xff',
  '\xed\xa0\x80',
  '\\ud800',
  '1e999',
  '-0',
  '..',
  '/',
  '*',
  '%',
];

await using directory = await privateDirectory('fuzz', inMemory());
const { binary } = await coreBinary(directory.path);
const end = performance.now() + MINUTES * 60_000;
let [runs, found] = [0, 0];
const codes = new Map<number | null, number>();
for (; performance.now() < end; runs++) {
  const random = randomFrom(SEED + runs);
  const one = generateCase(SEED, runs);
  const root = join(directory.path, 'root');
  mkdirSync(join(root, CONFIG), { recursive: true });
  plant(root, one.files ?? {});
  writeFileSync(join(root, CONFIG, 'config.json'), JSON.stringify(one.config ?? {}));
  for (const path of [`${CONFIG}/config.json`, 'etc/passwd', 'etc/group'])
    if (random() < 0.4) damage(join(root, path), random);
  if (random() < 0.2) renameSync(join(root, CONFIG, 'config.json'), join(root, CONFIG, 'config.yaml'));
  cpSync(root, join(directory.path, 'before'), { recursive: true, verbatimSymlinks: true });
  const placed = await placeCore(binary, root, 'kolla_set_configs');
  const [program, ...words] = placed.call;
  const env = { PATH: process.env['PATH'], KOLLA_CONFIG_STRATEGY: oneOf(random, ['COPY_ALWAYS', 'COPY_ONCE', 'x']) };
  const { code, stdout, stderr } = await run(program, words, { env });
  codes.set(code, (codes.get(code) ?? 0) + 1);
  if (!CODES.has(code ?? -1) || BUG.test(stdout + stderr)) {
    found++;
    const kept = join(CORPUS, `${SEED}-${runs}`);
    cpSync(join(directory.path, 'before'), kept, { recursive: true, verbatimSymlinks: true });
    console.log(`✖ ${kept}: ${code}\n${(stdout + stderr).slice(-1500)}`);
  }
  for (const name of ['root', 'before']) rmSync(join(directory.path, name), { recursive: true, force: true });
  if (runs % 1000 === 999) console.log(`${runs + 1} runs, ${found} found`);
}
console.log(
  `seed ${SEED}: ${runs} runs in ${MINUTES} minutes, exit codes ${JSON.stringify([...codes])}, ${found} found`,
);
if (found > 0) process.exitCode = 1;

/** A few mutations: pieces inserted, bytes changed, parts duplicated or removed. */
function damage(path: string, random: () => number): void {
  let text = '';
  try {
    text = readFileSync(path, 'latin1');
  } catch {
    // Not every case has this file.
  }
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    const at = Math.floor(random() * (text.length + 1));
    const to = Math.min(text.length, at + Math.floor(random() * 20));
    const put = oneOf(random, [
      oneOf(random, PIECES),
      String.fromCharCode(Math.floor(random() * 256)),
      text.slice(at, to).repeat(Math.floor(random() * 50)),
      '',
    ]);
    text = text.slice(0, at) + put + text.slice(random() < 0.5 ? at : to);
  }
  writeFileSync(path, Buffer.from(text, 'latin1'));
}
