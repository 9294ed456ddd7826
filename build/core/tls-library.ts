/**
 * AWS-LC's libcrypto and libssl for kolla-core, from the crate that has their generated assembly, so that neither Perl,
 * Go nor CMake is needed:
 *
 *   the crate, pinned -> its own lists of files -> zig cc and zig c++, without C++'s library -> one archive, cached
 *
 * docs/adr/0043 says why this library, and what each flag is for.
 */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { unpackedCrate, type Crate } from '../../tools/crates.ts';
import { compile, compiler, TARGETS, type Architecture } from './toolchain.ts';

const CRATE: Crate = {
  name: 'aws-lc-sys',
  version: '0.47.0',
  sha256: '8bfbe32ac36b3c428696ce315464181bc4029d689fd58e3f2a4e58c252242f52',
};

/** The crate's list of assembly by architecture. */
const ASSEMBLY: Readonly<Record<Architecture, string>> = { x64: 'linux_x86_64', arm64: 'linux_aarch64' };

/** What the library is compiled with, by any compiler. */
const DEFINES = [
  '-w',
  '-fPIE',
  '-DNDEBUG',
  '-D_GNU_SOURCE',
  '-D_XOPEN_SOURCE=700',
  '-DBORINGSSL_IMPLEMENTATION',
  // Small tables of curves, and no AES-GCM for AVX-512, which alone has 0.7 MB.
  '-DOPENSSL_SMALL=1',
  // Random bytes come from getrandom(2) alone.
  '-DDISABLE_CPU_JITTER_ENTROPY=1',
  // A constructor would ask each name's processor for its abilities. native/tls.c initializes the library.
  '-DBORINGSSL_NO_STATIC_INITIALIZER',
];
const FLAGS = [
  ...DEFINES,
  '-Os',
  '-g0',
  '-fstack-protector-strong',
  '-ffunction-sections',
  '-fdata-sections',
  '-fno-ident',
  '-fvisibility=hidden',
  // Read by C++ exceptions and debuggers, of which there are none: 0.2 MB.
  '-fno-asynchronous-unwind-tables',
  '-fno-unwind-tables',
];

/** What zig is called with, by the end of a file's name. */
const LANGUAGES: Readonly<Record<string, readonly [command: 'cc' | 'c++', ...words: string[]]>> = {
  // Variables of the caller must not change its behaviour: native/tls.c defines this function. No C++ of it reads one.
  '.c': ['cc', '-std=c11', '-Dgetenv=no_variable'],
  '.cc': ['c++', '-std=c++17', '-fno-exceptions', '-fno-rtti'],
  '.S': ['cc'],
};

export interface TlsLibrary {
  readonly headers: string;
  /** A static library. */
  readonly file: string;
  readonly version: string;
  readonly licence: string;
}

/** The library for one architecture, compiled once per sources and flags. */
export async function tlsLibrary(architecture: Architecture): Promise<TlsLibrary> {
  const zig = await compiler();
  const target = ['-target', TARGETS[architecture]];
  const place = await compiledTls(architecture, [zig, ...target, ...FLAGS], async (command, words, directory) => {
    await compile(zig, command === 'ar' ? words : [...target, ...FLAGS, ...words], directory, command);
  });
  const crate = await unpackedCrate('aws-lc', CRATE);
  const sources = join(crate, 'aws-lc');
  const base = await readFile(join(sources, 'include/openssl/base.h'), 'utf8');
  const version = /^#define AWSLC_VERSION_NUMBER_STRING "([\d.]+)"$/m.exec(base)?.[1];
  if (version === undefined) throw new Error(`${CRATE.name} ${CRATE.version} no longer states AWS-LC's version`);
  return {
    headers: join(sources, 'include'),
    file: join(place, 'libtls.a'),
    version,
    licence: await readFile(join(sources, 'LICENSE'), 'utf8'),
  };
}

/** Runs a compiler with the words of one file, or `ar`. */
export type Compiling = (command: 'cc' | 'c++' | 'ar', words: readonly string[], directory: string) => Promise<void>;

/**
 * The directory with libtls.a.
 * @param madeFrom the compiler and its flags
 */
async function compiledTls(architecture: Architecture, madeFrom: readonly string[], by: Compiling): Promise<string> {
  const crate = await unpackedCrate('aws-lc', CRATE);
  const made = [CRATE.sha256, ...madeFrom, JSON.stringify(LANGUAGES)];
  return await cached(`aws-lc-${architecture}`, made, async (directory) => {
    const sources = join(crate, 'aws-lc');
    const bignum = join(sources, 'third_party/s2n-bignum');
    const headers = ['include', 's2n-bignum-imported/include'].map((part) => join(bignum, part));
    const found = [join(sources, 'include'), bignum, ...headers].flatMap((header) => ['-I', header]);
    const files = await filesOf(crate, architecture);
    const objects = files.map((file) => join(directory, `${file.replaceAll('/', '_')}.o`));
    const left = files.entries();
    const worker = async () => {
      for (const [i, file] of left) {
        const [command, ...words] = LANGUAGES[extname(file)]!;
        await by(command, [...words, ...found, '-c', join(sources, file), '-o', objects[i]!], directory);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    await by('ar', ['rcs', join(directory, 'libtls.a'), ...objects], directory);
    await Promise.all(objects.map((object) => rm(object)));
  });
}

/**
 * The same by another compiler, for its sanitizers.
 * @param madeFrom the compiler and its flags
 */
export async function tlsLibraryBy(
  architecture: Architecture,
  madeFrom: readonly string[],
  by: Compiling,
): Promise<string> {
  const compiling: Compiling = (command, words, directory) =>
    by(command, command === 'ar' ? words : [...DEFINES, ...words], directory);
  return join(await compiledTls(architecture, [...madeFrom, ...DEFINES], compiling), 'libtls.a');
}

/** Paths in AWS-LC's sources: libcrypto's by the crate's lists for cargo, libssl's by CMake's. */
async function filesOf(crate: string, architecture: Architecture): Promise<string[]> {
  const listed = async (name: string) => {
    const text = await readFile(join(crate, 'builder/cc_builder', `${name}.rs`), 'utf8');
    return [...text.matchAll(/^\s+"([^"]+)",/gm)].map(([, file]) => file!);
  };
  const cmake = await readFile(join(crate, 'aws-lc/ssl/CMakeLists.txt'), 'utf8');
  const ssl = /add_library\(\s*ssl\s([^)]*)\)/.exec(cmake)?.[1]?.trim().split(/\s+/) ?? [];
  const all = [
    ...(await listed('universal')),
    ...(await listed(ASSEMBLY[architecture])),
    ...ssl.map((file) => `ssl/${file}`),
  ];
  const files = all.filter((file) => !file.includes('jitterentropy'));
  const missing = files.filter((file) => !existsSync(join(crate, 'aws-lc', file)));
  if (ssl.length === 0 || missing.length > 0)
    throw new Error(`${CRATE.name} ${CRATE.version} has other files than its lists: ${missing.join(', ')}`);
  return files;
}
