import { mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { librariesIn } from './apart.ts';
import { HERE, makeBase, type Base, type Target } from './base.ts';
import { bundleHelper, bundleLibrary, bundleMain, type Bundle } from './bundle.ts';
import { join as joinBinary } from './join.ts';
import { assetNames } from './load.ts';
import { warmCaches } from './warm-cache.ts';
import { ALL_NAMES, CORE_ONLY_NAMES, ROOTLESS_NAMES } from './names.ts';
import { buildCore, type BuiltCore } from './core/make.ts';
import { layoutOf } from '../src/toolbox/install/place-names.ts';

export interface Built {
  /** The directory with `kolla-pod`, `kolla-core`, `bin/` and `rootless-bin/`. */
  readonly directory: string;
  readonly binary: string;
  readonly core: Pick<BuiltCore, 'binary' | 'inputs'>;
  readonly base: Pick<Base, 'notStripped' | 'target'>;
  readonly helpers: readonly BuiltBundle[];
  readonly libraries: readonly BuiltBundle[];
}

export interface BuiltBundle {
  readonly name: string;
  readonly bundle: Bundle;
  readonly cacheBytes: number;
}

/**
 * Builds the binary and its links.
 * @param directory output directory; existing files are replaced at the end, by rename
 * @param say called for each step
 * @param names a subset, for experiments
 * @param target the machine for which to build, if not this one
 */
export async function buildBinary(
  directory: string,
  say: (text: string) => void,
  names: readonly string[] = ALL_NAMES,
  target: Target = HERE,
): Promise<Built> {
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(directory, '.build-'));
  try {
    const bundled = names.filter((name) => !CORE_ONLY_NAMES.includes(name));
    say(`bundling ${bundled.length} names`);
    const bundles = await Promise.all(bundled.map(bundleHelper));
    const libraries = await librariesOf(bundles);
    const all = [...bundles, ...libraries];
    say('stripping node');
    const base = await makeBase(work, target);
    say('warming code caches');
    for (const { name, source } of all) await writeFile(join(work, assetNames(name).source), source);
    await warmCaches(
      base,
      all.map(({ name }) => name),
      work,
    );
    await writeFile(join(work, 'main.cjs'), await bundleMain());
    say('joining');
    const files = all.flatMap(({ name }) => Object.values(assetNames(name)));
    const assets = Object.fromEntries(files.map((file) => [file, join(work, file)]));
    await joinBinary(base, join(work, 'main.cjs'), assets, join(work, 'kolla-pod'));
    say('building kolla-core');
    const { inputs } = await buildCore(work, target.arch);
    const built = {
      directory,
      binary: join(directory, 'kolla-pod'),
      core: { binary: join(directory, 'kolla-core'), inputs },
      base,
      helpers: await Promise.all(bundles.map(async (bundle) => await withCache(bundle, work))),
      libraries: await Promise.all(libraries.map(async (bundle) => await withCache(bundle, work))),
    };
    await place(work, directory, names);
    return built;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Libraries of the bundles, transitively. */
async function librariesOf(bundles: readonly Bundle[]): Promise<Bundle[]> {
  const found = new Map<string, Bundle>();
  const asking = [...bundles];
  for (const { metafile } of asking) {
    for (const name of librariesIn(metafile).filter((one) => !found.has(one))) {
      const library = await bundleLibrary(name);
      found.set(name, library);
      asking.push(library);
    }
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function withCache(bundle: Bundle, work: string): Promise<BuiltBundle> {
  return { name: bundle.name, bundle, cacheBytes: (await stat(join(work, assetNames(bundle.name).cache))).size };
}

/** Renames the result into place: links first, so that each is without its binary for two renames at most. */
async function place(work: string, output: string, names: readonly string[]): Promise<void> {
  const own = names.filter((name) => !isRootless(name));
  const layout = Object.entries(layoutOf(own, true));
  for (const [directory, links] of layout) {
    await mkdir(join(work, directory));
    for (const [name, target] of Object.entries(links)) await symlink(target, join(work, directory, name));
  }
  for (const name of ['kolla-pod', 'kolla-core']) await rename(join(work, name), join(output, name));
  for (const [name] of layout) {
    await rm(join(output, name), { recursive: true, force: true });
    await rename(join(work, name), join(output, name));
  }
}

/** How a command is called: by its link, or as the binary's first argument if a script has the name. */
export function callOf(output: string, name: string): readonly [file: string, ...words: string[]] {
  return isRootless(name) ? [join(output, 'kolla-pod'), name] : [join(output, 'bin', name)];
}

function isRootless(name: string): boolean {
  return (ROOTLESS_NAMES as readonly string[]).includes(name);
}
