/**
 * `node build/images.ts [--out DIR] [--arch amd64|arm64]... [--repository NAME] [--evidence]`: builds the images
 * `scratch`, `install`, `core` and `operator`, by default for both architectures, and prints their sizes; --evidence also
 * writes them to docs/evidence. An architecture that cannot be built here is skipped with the reason; the exit code is then
 * 1 if it is this machine's own or was requested by --arch. Without Go, only the operator's image is skipped.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/core/errors.ts';
import { table } from '../src/cli/table.ts';
import { terminalOf } from '../src/core/terminal.ts';
import type { Target } from './base.ts';
import { helmBinary } from '../tools/helm.ts';
import { ROOT } from './bundle.ts';
import { targetFor } from './images/arm64.ts';
import { KINDS, type Kind } from './images/contents.ts';
import { buildImages, type BuiltImage } from './images/index.ts';
import { REPOSITORY_FORM } from './images/repository.ts';
import { sizesOf } from './images/sizes.ts';

const HEAD = ['IMAGE', 'ARCHITECTURE', 'SIZE', 'GZIP', 'BASE', 'ID'];
const ID_DIGITS = 12;
const ARCHITECTURES: Readonly<Record<string, Target['arch']>> = { amd64: 'x64', arm64: 'arm64' };

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'dist/images') },
    arch: { type: 'string', multiple: true },
    repository: { type: 'string', default: 'kolla-pod' },
    evidence: { type: 'boolean', default: false },
  },
});
const asked = values.arch ?? Object.keys(ARCHITECTURES);
const wrong = wrongWord();
if (wrong === undefined) await main();
else {
  say(wrong);
  process.exitCode = 64;
}

function wrongWord(): string | undefined {
  const unknown = asked.find((name) => !Object.hasOwn(ARCHITECTURES, name));
  if (unknown !== undefined)
    return `unknown architecture '${unknown}'; known: ${Object.keys(ARCHITECTURES).join(', ')}`;
  if (REPOSITORY_FORM.test(values.repository)) return undefined;
  return `--repository '${values.repository}' is not an image name without a tag, such as registry.example/team/kolla-pod`;
}

async function main(): Promise<void> {
  const images: BuiltImage[] = [];
  for (const name of asked) images.push(...(await imagesFor(name)));
  const rows = await Promise.all(
    images.map(async ({ reference, architecture, file, id }) => {
      const { bytes, gzip, base } = await sizesOf(file);
      const own = base === 0 ? '-' : mib(base);
      return [reference, architecture, mib(bytes), mib(gzip), own, id.replace('sha256:', '').slice(0, ID_DIGITS)];
    }),
  );
  if (rows.length === 0) return;
  process.stdout.write(table(terminalOf(process.stdout, process.env), HEAD, rows));
  if (values.evidence) await writeEvidence(rows);
}

async function writeEvidence(rows: readonly string[][]): Promise<void> {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const page = [
    '# Image sizes\n\n',
    'Printed by `node build/images.ts --evidence`. The base is glibc and libstdc++; the rest is the binary, and a quarter of a MiB of licences and SBOM.\n\n',
    line(HEAD.map((word) => word.toLowerCase())),
    line(HEAD.map(() => '---')),
    ...rows.map(line),
  ];
  await mkdir(join(ROOT, 'docs/evidence'), { recursive: true });
  await writeFile(join(ROOT, 'docs/evidence/image-sizes.md'), page.join(''));
}

/** The images of an architecture; if this machine cannot build them, prints the reason and returns none. */
async function imagesFor(name: string): Promise<readonly BuiltImage[]> {
  try {
    const target = await targetFor(ARCHITECTURES[name] ?? 'x64');
    if (target.emulator.length > 0)
      say(`${name}: code caches are made by its own node under qemu-user; it takes minutes`);
    return await buildImages({
      directory: resolve(values.out),
      target,
      repository: values.repository,
      say: (text) => say(`${name}: ${text}`),
      kinds: await kindsFor(name, target),
    });
  } catch (error) {
    say(`${name} is left out: ${messageOf(error)}`);
    if (values.arch !== undefined || ARCHITECTURES[name] === process.arch) process.exitCode = 1;
    return [];
  }
}

async function kindsFor(name: string, { arch }: Target): Promise<readonly Kind[]> {
  try {
    await helmBinary(arch, '4');
    return KINDS;
  } catch (error) {
    say(`${name}: the operator's image is left out: Helm can't be built here: ${messageOf(error)}`);
    process.exitCode = 1;
    return KINDS.filter((kind) => kind !== 'operator');
  }
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
