import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import type { PypiFile } from '../../tools/pypi.ts';
import { unpackWheel } from '../../tools/wheel.ts';

const VERSION = '23.1.5';
const PROGRAM = 'clang_format/data/bin/clang-format';

/** Packages by this machine's architecture, with Node's names. */
const WHEELS: Readonly<Record<string, PypiFile>> = {
  x64: {
    project: 'clang-format',
    file: `clang_format-${VERSION}-py2.py3-none-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl`,
    sha256: 'd97ce49911ba8c89ef3f3c0735a9c7818e4780ab4812c67d1c5fcd829d16ae52',
  },
  arm64: {
    project: 'clang-format',
    file: `clang_format-${VERSION}-py2.py3-none-manylinux_2_26_aarch64.manylinux_2_28_aarch64.whl`,
    sha256: 'e8037e12eae19a9779e01ca6719b8d7f6a939ade8869b061912551c9748a27ad',
  },
};

/** The path of the program. */
export async function clangFormat(): Promise<string> {
  const wheel = WHEELS[process.arch];
  if (wheel === undefined) throw new Error(`there is no clang-format for ${process.arch}`);
  const place = await cached('clang-format', [wheel.sha256], (directory) =>
    unpackWheel(wheel, new RegExp(`^${PROGRAM}$`), directory, PROGRAM),
  );
  return join(place, PROGRAM);
}

export const canFormatC: Capability = async () => {
  try {
    await clangFormat();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};
