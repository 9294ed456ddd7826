/** Where apt gets packages from: this machine's sources, or one suite of the Debian mirror that they name. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The machine's apt sources, which are a part of a cache key. */
export async function machineSources(): Promise<string[]> {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => []);
  const files = ['sources.list', ...parts.map((name) => `sources.list.d/${name}`).toSorted(byName)];
  return await Promise.all(files.map((name) => readFile(join('/etc/apt', name), 'utf8').catch(() => '')));
}

/** A sources.list of one suite, with the mirror and the keyring of this machine's sources. */
export async function suiteSources(suite: string): Promise<string> {
  const { uri, keyring } = mirrorIn(await machineSources());
  return `deb ${keyring === undefined ? '' : `[signed-by=${keyring}] `}${uri} ${suite} main\n`;
}

/** The Debian mirror that this machine uses. */
export async function debianMirror(): Promise<string> {
  return mirrorIn(await machineSources()).uri;
}

const MIRROR = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s*)?)(?<uri>\S+\/debian)\/?(?:\s|$)/m;

/** The first Debian mirror in sources of either format, and the keyring that its own entry names. */
export function mirrorIn(sources: readonly string[]): { readonly uri: string; readonly keyring: string | undefined } {
  for (const stanza of sources.flatMap((text) => text.split(/\n[ \t]*\n/))) {
    const found = MIRROR.exec(stanza);
    if (found?.groups?.['uri'] === undefined) continue;
    const signed = /^Signed-By:\s*(?<file>\/\S+)/im.exec(stanza) ?? /signed-by=(?<file>\/[^\s\]]+)/.exec(found[0]);
    return { uri: found.groups['uri'], keyring: signed?.groups?.['file'] };
  }
  throw new Error("this machine's apt sources name no mirror of Debian");
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}
