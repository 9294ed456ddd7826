import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';

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
  const mirror = await mirrorOf();
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

/** The Debian mirror that this machine uses. */
async function mirrorOf(): Promise<string> {
  const files = ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources'];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const found = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s*)?)(?<uri>\S+\/debian)\/?(?:\s|$)/m.exec(texts.join('\n'));
  const uri = found?.groups?.['uri'];
  if (uri === undefined) throw new Error("this machine's apt sources name no mirror of Debian");
  return uri;
}
