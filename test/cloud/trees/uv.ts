import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../../src/core/defined.ts';
import { cached, cacheRoot } from '../../../tools/cache.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import type { PypiFile } from '../../../tools/pypi.ts';
import { unpackWheel } from '../../../tools/wheel.ts';
import { debianTree } from './debian.ts';
import { inTree, type Bind } from './in-tree.ts';

const VERSION = '0.13.9';
const PROGRAM = `uv-${VERSION}.data/scripts/uv`;

/** uv's wheels by architecture, as Node names it. */
const WHEELS: Readonly<Record<string, PypiFile>> = {
  x64: {
    project: 'uv',
    file: `uv-${VERSION}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl`,
    sha256: 'd7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19',
  },
  arm64: {
    project: 'uv',
    file: `uv-${VERSION}-py3-none-manylinux_2_28_aarch64.whl`,
    sha256: 'ecb6028d79dc96fbeafffe5c8af62a7099487ebc05a701e76714eebcffd06375',
  },
};

/** Newer versions have no pkg_resources, which some distributions import when they are built. */
const BUILD_CONSTRAINTS = 'setuptools<81\n';

/** Runs uv, a static program, inside Debian's tree. Downloads are shared by all releases. */
export async function runUv(args: readonly string[], binds: readonly Bind[] = []): Promise<string> {
  const [program, debian, downloads] = [await uvProgram(), await debianTree(), join(cacheRoot(), 'uv-downloads')];
  await mkdir(downloads, { recursive: true });
  await using work = await privateDirectory('uv');
  const constraints = join(work.path, 'constraints.txt');
  await writeFile(constraints, BUILD_CONSTRAINTS);
  const own = [
    { from: program, to: '/build/uv' },
    { from: downloads, to: '/build/downloads' },
    { from: constraints, to: '/build/constraints.txt' },
  ];
  const env = {
    UV_CACHE_DIR: '/build/downloads',
    UV_LINK_MODE: 'copy',
    UV_BUILD_CONSTRAINT: '/build/constraints.txt',
    ...defined({ UV_DEFAULT_INDEX: process.env['PIP_INDEX_URL'] }),
  };
  return await inTree(debian, ['/build/uv', ...args], { binds: [...own, ...binds], env });
}

async function uvProgram(): Promise<string> {
  const wheel = WHEELS[process.arch];
  if (wheel === undefined) throw new Error(`there is no uv for ${process.arch}`);
  const place = await cached('uv', [wheel.sha256], (directory) =>
    unpackWheel(wheel, new RegExp(`^${PROGRAM}$`), directory, PROGRAM),
  );
  return join(place, PROGRAM);
}
