import { join } from 'node:path';
import { cached } from '../../../tools/cache.ts';
import type { PypiFile } from '../../../tools/pypi.ts';
import { unpackWheel } from '../../../tools/wheel.ts';

const VERSION = '0.13.9';
const PROGRAM = `uv-${VERSION}.data/scripts/uv`;

/** By this machine's architecture, as Node names it. */
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

/** The path of uv, which installs a lock of 260 distributions in seconds, as a static program. */
export async function uv(): Promise<string> {
  const wheel = WHEELS[process.arch];
  if (wheel === undefined) throw new Error(`there is no uv for ${process.arch}`);
  const place = await cached('uv', [wheel.sha256], (directory) =>
    unpackWheel(wheel, new RegExp(`^${PROGRAM}$`), directory, PROGRAM),
  );
  return join(place, PROGRAM);
}
