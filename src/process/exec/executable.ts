import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { codeOf } from '../../core/errors.ts';

/** Why a program cannot be run, as a shell reports it: exit code and the message after the shell's name. */
export interface Refusal {
  readonly code: 126 | 127;
  readonly reason: string;
}

/**
 * What the kernel needs to run a file: the interpreter of its first line or ELF header, `self` if nothing more, `none`
 * for a text without a format, `foreign` for another machine's.
 */
type Loader = { readonly interpreter: string; readonly script: boolean } | 'self' | 'none' | 'foreign';

/** Number of bytes that the kernel reads of a script's first line. */
const HEAD_BYTES = 256;
/** Maximum number of scripts that the kernel follows: `#!` may lead to another script. */
const SCRIPTS_MAX = 4;

/** Reads the beginning of a file. Throws the system's error. A file that is executable but unreadable is accepted. */
export function loaderOf(file: string): Loader {
  let head: Buffer;
  try {
    head = read(file, 0, HEAD_BYTES);
  } catch (error) {
    if (codeOf(error) === 'EACCES') return 'self';
    throw error;
  }
  if (head.subarray(0, 4).equals(Buffer.from('\x7fELF'))) return elfLoader(file, head);
  const line = head.toString('latin1').split('\n')[0] ?? '';
  const interpreter = /^#![ \t]*([^ \t\0]+)/.exec(line)?.[1];
  if (interpreter !== undefined) return { interpreter, script: true };
  return line.includes('\0') ? 'foreign' : 'none';
}

/** The reason why this loader cannot be used. */
export function refusalOf(file: string, loader: Loader, depth = 0): Refusal | undefined {
  if (loader === 'foreign') return { code: 126, reason: `${file}: cannot execute binary file: Exec format error` };
  if (typeof loader === 'string') return undefined;
  const { interpreter, script } = loader;
  try {
    if (statSync(interpreter).isDirectory() || depth >= SCRIPTS_MAX)
      return { code: 126, reason: `${file}: ${interpreter}: bad interpreter` };
    // An ELF loader must exist, but needs no x bit.
    if (!script) return undefined;
    accessSync(interpreter, constants.X_OK);
    const next = loaderOf(interpreter);
    if (next === 'none') return { code: 126, reason: `${file}: ${interpreter}: bad interpreter: Exec format error` };
    return refusalOf(interpreter, next, depth + 1);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT')
      return { code: 127, reason: `${file}: cannot execute: required file not found (${interpreter})` };
    return { code: 126, reason: `${file}: ${interpreter}: bad interpreter: ${code ?? 'cannot be read'}` };
  }
}

const PT_INTERP = 3;

/** Reads a 64-bit little-endian file for this machine's architecture. Others are foreign. */
function elfLoader(file: string, head: Buffer): Loader {
  const own = read('/proc/self/exe', 0, 20);
  const sameMachine = head.length >= 64 && head.subarray(4, 6).equals(own.subarray(4, 6)) && head[18] === own[18];
  if (!sameMachine) return 'foreign';
  const [offset, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)];
  const table = read(file, offset, size * count);
  for (let at = 0; at + 56 <= table.length; at += size) {
    if (table.readUInt32LE(at) !== PT_INTERP) continue;
    const from = Number(table.readBigUInt64LE(at + 8));
    const length = Number(table.readBigUInt64LE(at + 32));
    return { interpreter: read(file, from, Math.min(length, 4096)).toString('latin1').split('\0')[0]!, script: false };
  }
  return 'self';
}

function read(file: string, offset: number, length: number): Buffer {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
  } finally {
    closeSync(fd);
  }
}
