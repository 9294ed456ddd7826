import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, inputsOf } from '../bundle.ts';
import { compiledParts } from '../core/parts.ts';
import type { Built } from '../make.ts';
import { lockedPackage } from './lockfile.ts';

/** A package, mostly of npm, with code in the binary. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression stated by the package. */
  readonly licence: string;
  /** The text of the package's licence files. */
  readonly text: string;
  /** SHA-512 of the downloaded package in hex, from the lockfile. */
  readonly sha512: string | undefined;
  /** Set for components that are not npm packages. */
  readonly purl?: string;
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice|unlicense)([-.](?!go$).*)?$/i;

/**
 * The packages with code in the bundles, according to esbuild; node, which is the rest of kolla-pod; and those of
 * kolla-core. Sorted by name.
 */
export async function bundledPackages({ helpers, libraries, core, base }: Built): Promise<BundledPackage[]> {
  const inputs = [...helpers, ...libraries].flatMap(({ bundle }) => inputsOf(bundle.metafile));
  const node = `node_modules/node-linux-${base.target.arch}/package.json`;
  return await packagesOf([...inputs, node, ...core.inputs], await compiledParts(base.target.arch));
}

/** The npm packages in kolla-core, and the engine and C library compiled into it. Sorted by name. */
export async function corePackages({ core, base }: Built): Promise<BundledPackage[]> {
  return await packagesOf(core.inputs, await compiledParts(base.target.arch));
}

async function packagesOf(inputs: readonly string[], compiled: readonly BundledPackage[]): Promise<BundledPackage[]> {
  const directories = new Set(inputs.flatMap((path) => directoryOf(path) ?? []));
  const packages = [...(await Promise.all([...directories].map(packageIn))), ...compiled];
  return packages.toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** The package's directory of a file: `node_modules/@a/b/node_modules/c`. Undefined for our own sources. */
function directoryOf(path: string): string | undefined {
  return /^(?:[^:]+:)?(?<directory>(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.groups?.['directory'];
}

async function packageIn(directory: string): Promise<BundledPackage> {
  // Another architecture's node is not in node_modules here, but has the same licence text.
  const here = directory.replace(/node-linux-\w+$/, `node-linux-${process.arch}`);
  const about = JSON.parse(await readFile(join(ROOT, here, 'package.json'), 'utf8')) as PackageJson;
  const { version = about.version, integrity } = await lockedPackage(directory);
  return {
    name: here === directory ? about.name : (directory.split('/').at(-1) ?? about.name),
    version,
    licence: licenceOf(about),
    text: await licenceText(join(ROOT, here)),
    sha512:
      integrity?.startsWith('sha512-') === true
        ? Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
        : undefined,
  };
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly licenses?: readonly { readonly type: string }[];
}

/** @throws Error if a package states none: it must be reviewed before it is shipped */
function licenceOf({ name, license, licenses }: PackageJson): string {
  const stated =
    typeof license === 'object' ? license.type : (license ?? licenses?.map(({ type }) => type).join(' OR '));
  if (stated === undefined || stated === '') throw new Error(`the package ${name} states no licence`);
  return stated;
}

/** @throws Error if a package has none: it must not be redistributed then */
export async function licenceText(directory: string): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name)).map(({ name }) => name);
  if (names.length === 0) throw new Error(`${directory} has no licence file`);
  const texts = names.toSorted().map((name) => readFile(join(directory, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}
