import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { table } from '../src/cli/table.ts';
import type { Terminal } from '../src/core/terminal.ts';
import { makeBase } from './base.ts';
import { callOf, type Built, type BuiltBundle } from './make.ts';
import { measureStartUp, type StartUp } from './start-up.ts';

/** Usual compression level of image layers. */
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 10;

export interface Report {
  readonly node: string;
  readonly arch: string;
  readonly stripped: boolean;
  readonly helpers: readonly Sizes[];
  /** The libraries, which all commands share. */
  readonly libraries: readonly Sizes[];
  readonly mib: { readonly base: number; readonly whole: number; readonly gzip: number; readonly zstd: number };
  readonly startUp: readonly StartUp[];
  /** CPU time of `kolla-pod --version` relative to the base that prints a line. */
  readonly ratio: number;
}

interface Sizes {
  readonly name: string;
  readonly bundleKiB: number;
  readonly cacheKiB: number;
}

/** Sizes of a binary, and the start-up cost of its names relative to the shared node. */
export async function reportOn({ directory, binary, base, helpers, libraries }: Built): Promise<Report> {
  const work = mkdtempSync(join(directory, '.report-'));
  try {
    const { path: node } = await makeBase(work);
    const hello = join(work, 'hello.cjs');
    writeFileSync(hello, 'process.stdout.write("hello\\n");');
    const bytes = readFileSync(binary);
    const startUp = measureStartUp([
      { what: 'bare node', argv: [node, hello] },
      { what: '--version', argv: [binary, '--version'] },
      // Loads all modules that the helper loads at start.
      ...helpers.map(({ name }) => ({ what: `${name} --help`, argv: [...callOf(directory, name), '--help'] })),
    ]);
    const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } };
    return {
      node: process.version,
      arch: process.arch,
      stripped: base.notStripped === undefined,
      helpers: helpers.map(sizesOf),
      libraries: libraries.map(sizesOf),
      mib: {
        base: mib(statSync(node).size),
        whole: mib(bytes.length),
        gzip: mib(gzipSync(bytes, { level: GZIP_LEVEL }).length),
        zstd: mib(zstdCompressSync(bytes, zstdOptions).length),
      },
      startUp,
      ratio: Number(((startUp[1]?.cpuMs ?? NaN) / (startUp[0]?.cpuMs ?? NaN)).toFixed(2)),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The report in human-readable form. */
export function reportText(report: Report, terminal: Terminal): string {
  const { mib: size, helpers, libraries, startUp, ratio } = report;
  const cpu = (what: string) => `${startUp.find((row) => row.what === what)?.cpuMs.toFixed(0) ?? '?'} ms`;
  const rows = [
    ...helpers.map(({ name, bundleKiB, cacheKiB }) => [
      name,
      `${bundleKiB} KiB`,
      `${cacheKiB} KiB`,
      cpu(`${name} --help`),
    ]),
    ...libraries.map(({ name, bundleKiB, cacheKiB }) => [`library ${name}`, `${bundleKiB} KiB`, `${cacheKiB} KiB`, '']),
    [
      `node ${report.node}${report.stripped ? ', stripped' : ', NOT stripped'}`,
      `${size.base} MiB`,
      '',
      cpu('bare node'),
    ],
    ['--version', '', '', cpu('--version')],
    ['all bundles and code caches', `${bundlesMib(report)} MiB`, '', ''],
    ['the whole', `${size.whole} MiB`, '', ''],
    [`as a layer, gzip -${GZIP_LEVEL}`, `${size.gzip} MiB`, '', ''],
    [`as a layer, zstd -${ZSTD_LEVEL}`, `${size.zstd} MiB`, '', ''],
  ];
  const head = ['', 'SIZE', 'CODE CACHE', 'START-UP CPU'];
  return `${table(terminal, head, rows)}kolla-pod --version costs ${ratio} of bare node's start\n`;
}

/** Writes docs/evidence/binary.md and binary.json. */
export function writeEvidence(report: Report, directory: string): void {
  const rows = report.helpers.map(({ name, bundleKiB, cacheKiB }) => {
    const start = report.startUp.find(({ what }) => what === `${name} --help`);
    return `| \`${name}\` | ${bundleKiB} KiB | ${cacheKiB} KiB | ${start?.cpuMs.toFixed(1)} ms | ${start?.wallMs.toFixed(1)} ms |`;
  });
  const libraries = report.libraries.map(
    ({ name, bundleKiB, cacheKiB }) => `| ${name}, where it is needed | ${bundleKiB} KiB | ${cacheKiB} KiB | | |`,
  );
  const { base, whole, gzip, zstd } = report.mib;
  const [bare, version] = report.startUp;
  const page = [
    '# The binary',
    '',
    `Printed by \`node build/binary.ts --evidence\`: Node ${report.node}, ${report.arch}. Start-up is the least of interleaved rounds; of a name, that of \`--help\`, which loads what the helper loads at its start. A library lies in it once, and is read when something needs it.`,
    '',
    '| name | its bundle | its code cache | start-up CPU | wall |',
    '|---|---|---|---|---|',
    ...rows,
    ...libraries,
    `| \`--version\`, by any name | | | ${version?.cpuMs.toFixed(1)} ms | ${version?.wallMs.toFixed(1)} ms |`,
    `| bare node that prints a line | | | ${bare?.cpuMs.toFixed(1)} ms | ${bare?.wallMs.toFixed(1)} ms |`,
    '',
    `\`kolla-pod --version\` costs ${report.ratio} of bare node's CPU (to reach: 1.1 or less).`,
    '',
    '| what | MiB |',
    '|---|---|',
    `| node, once for all names${report.stripped ? ', stripped' : ', not stripped'} | ${base} |`,
    `| all bundles and code caches | ${bundlesMib(report)} |`,
    `| the whole | ${whole} |`,
    `| as an image layer, gzip -${GZIP_LEVEL} | ${gzip} |`,
    `| as an image layer, zstd -${ZSTD_LEVEL} | ${zstd} |`,
    '',
  ];
  writeFileSync(join(directory, 'binary.md'), page.join('\n'));
  writeFileSync(join(directory, 'binary.json'), `${JSON.stringify(report, undefined, 2)}\n`);
}

function sizesOf({ name, bundle, cacheBytes }: BuiltBundle): Sizes {
  return { name, bundleKiB: Math.round(bundle.source.length / 1024), cacheKiB: Math.round(cacheBytes / 1024) };
}

function bundlesMib({ helpers, libraries }: Report): string {
  const kib = [...helpers, ...libraries].reduce((sum, { bundleKiB, cacheKiB }) => sum + bundleKiB + cacheKiB, 0);
  return (kib / 1024).toFixed(1);
}

function mib(bytes: number): number {
  return Number((bytes / 2 ** 20).toFixed(1));
}
