import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Variables that node or its OpenSSL, ICU and simdutf obey before our first line runs, so that nothing of ours can refuse
 * them: a library is loaded, files are read or written, the start is refused or crashes. What they are for is no business
 * of a helper's.
 */
const NAMES = [
  // ICU trusts the offsets in a data file that it finds there: 100 bytes are a segmentation fault.
  'ICU_TIMEZONE_FILES_DIR',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_ICU_DATA',
  'NODE_REDIRECT_WARNINGS',
  'NODE_REPL_EXTERNAL_MODULE',
  'NODE_V8_COVERAGE',
  // An unknown word ends it with 134.
  'SIMDUTF_FORCE_IMPLEMENTATION',
];

/** Which instructions OpenSSL takes this processor to have; one that it has not ends it with SIGILL. */
const CPU_NAMES: Partial<Record<NodeJS.Architecture, string>> = { arm64: 'OPENSSL_armcap', x64: 'OPENSSL_ia32cap' };

/**
 * Blinds a node to these variables, in place (docs/adr/0006-blind-to-the-environment.md): each name loses its first byte, and getenv
 * finds nothing under an empty name. The file stays as long as it is.
 * @throws Error when a name is not there: then this node reads it in another way, and somebody must look
 */
export function blindToEnvironment(file: string, arch: NodeJS.Architecture = process.arch): void {
  const bytes = readFileSync(file);
  const cpuName = CPU_NAMES[arch];
  for (const name of cpuName === undefined ? NAMES : [...NAMES, cpuName]) {
    const places = placesOf(bytes, name);
    if (places.length === 0)
      throw new Error(`${file} has no ${name} to be blinded to: it may read it under another spelling`);
    for (const place of places) bytes[place] = 0;
  }
  writeFileSync(file, bytes);
}

/** Where the name stands as a whole string of C's, which the compiled code asks for. */
function placesOf(bytes: Buffer, name: string): number[] {
  const whole = Buffer.from(`\0${name}\0`);
  const places: number[] = [];
  for (let at = bytes.indexOf(whole); at !== -1; at = bytes.indexOf(whole, at + 1))
    // V8's snapshot holds the strings of node's own scripts, each after its length; those stay as they are hashed.
    if (bytes.readUInt32LE(at - 3) !== name.length) places.push(at + 1);
  return places;
}
