/** Debian's chromium, from this machine or unpacked into the cache, as tests of a page start it. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';

export interface Chromium {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts it without the sandbox, which root may not use, and without requests other than the page's. */
export const CHROMIUM_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

const INSTALLED = '/usr/bin/chromium';

function unpacked(): Promise<string> {
  return unpackedPackages('chromium', ['chromium', 'fonts-dejavu-core'], { except: ['libc6'] });
}

/** The chromium of this machine, or else Debian's packages in the cache. */
export async function chromium(): Promise<Chromium> {
  try {
    accessSync(INSTALLED, constants.X_OK);
    return { path: INSTALLED, env: {} };
  } catch {
    const usr = join(await unpacked(), 'usr');
    const directories = await libraryDirectories(usr);
    const libraries = [...directories, ...directories.map((each) => join(each, 'pulseaudio'))];
    return {
      path: join(usr, 'lib/chromium/chromium'),
      env: { LD_LIBRARY_PATH: libraries.join(':'), XDG_DATA_DIRS: join(usr, 'share') },
    };
  }
}

/** Directories with the fonts that the page's style prefers, for reproducible pictures. */
export async function pageFonts(): Promise<string[]> {
  const directory = await unpackedPackages('page-fonts', ['fonts-inter', 'fonts-jetbrains-mono'], {
    dependencies: false,
  });
  return [join(directory, 'usr/share/fonts')];
}

/** Tested by printing its version. */
export const canRunChromium: Capability = async () => {
  try {
    const { path, env } = await chromium();
    await must(path, ['--version'], { env: { PATH: process.env['PATH'], ...env } });
    return undefined;
  } catch (error) {
    return `no chromium: ${messageOf(error)}`;
  }
};
