import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BundledPackage } from '../images/bundled.ts';
import { engine } from './engine.ts';
import { gzipSources } from './gzip-library.ts';
import { tlsLibrary } from './tls-library.ts';
import { compiler, ZIG_VERSION, type Architecture } from './toolchain.ts';

/** The version in zig: its sources do not state it in a single place. */
const MUSL_VERSION = '1.2.5';

/**
 * Components compiled into kolla-core that are not npm packages: the libraries of TLS and gzip, the engine, the C library, and zig's compiler_rt, with its
 * own functions of the C library.
 */
export async function compiledParts(architecture: Architecture): Promise<BundledPackage[]> {
  const header = await readFile(join((await engine(architecture)).headers, 'quickjs.h'), 'utf8');
  const number = (word: string) => new RegExp(`^#define QJS_VERSION_${word} (\\d+)$`, 'm').exec(header)?.[1];
  const version = ['MAJOR', 'MINOR', 'PATCH'].map(number).join('.');
  const zig = dirname(await compiler());
  const tls = await tlsLibrary(architecture);
  const gzip = await gzipSources();
  return [
    part('aws-lc', tls.version, tls.licence, '(Apache-2.0 OR ISC) AND Apache-2.0 AND ISC AND MIT'),
    part('libdeflate', gzip.version, gzip.licence),
    part('musl', MUSL_VERSION, await readFile(join(zig, 'lib/libc/musl/COPYRIGHT'), 'utf8')),
    part('quickjs-ng', version, commentOf(header)),
    part('zig', ZIG_VERSION, await readFile(join(zig, 'LICENSE'), 'utf8')),
  ];
}

function part(name: string, version: string, text: string, licence = 'MIT'): BundledPackage {
  return { name, version, licence, text, sha512: undefined, purl: `pkg:generic/${name}@${version}` };
}

/** The first comment of a file, without asterisks. @throws Error if there is none: a licence must not be missing */
function commentOf(source: string): string {
  const text = /^\/\*\n([^]*?)\*\//.exec(source)?.[1];
  if (text === undefined) throw new Error('quickjs.h no longer starts with a licence');
  return text.replaceAll(/^ \* ?/gm, '').trim();
}
