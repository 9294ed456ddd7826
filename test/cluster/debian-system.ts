import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { debianMirror } from '../../tools/debian-sources.ts';

const DEADLINE_MS = 15 * 60_000;
/** Files that an image does not need: documentation and other languages. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*'];

/**
 * A small complete Debian, installed by mmdebstrap into an archive, with a working apt: the base of an image build
 * without a registry. Created once and cached. Needs root, and Debian's sources on the machine.
 * @param suite `trixie`
 * @returns a tar archive of the root file system
 */
export async function debianSystem(suite: string): Promise<string> {
  const mirror = await debianMirror();
  const directory = await cached(`debian-${suite}`, [suite, mirror, ...LEFT_OUT], async (place) => {
    const tool = await unpackedPackages('mmdebstrap', ['mmdebstrap'], { dependencies: false });
    const options = [
      '--variant=minbase',
      '--include=ca-certificates',
      '--aptopt=Acquire::Languages "none"',
      '--dpkgopt=force-unsafe-io',
      ...LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`),
    ];
    const words = [join(tool, 'usr/bin/mmdebstrap'), ...options, suite, join(place, 'root.tar'), mirror];
    // mmdebstrap's helper programs are in the same directory.
    const env = { ...process.env, PATH: `${join(tool, 'usr/bin')}:${process.env['PATH']}:/usr/sbin:/sbin` };
    await must('perl', words, { env, signal: AbortSignal.timeout(DEADLINE_MS) });
  });
  return join(directory, 'root.tar');
}
