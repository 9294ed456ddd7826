/**
 * Names of files and variables, which are bytes, as text: invalid UTF-8 is kept as U+DC80 to U+DCFF, one per byte (PEP
 * 383).
 */
import { runsOf } from './runtime/utf8.ts';

export function nameOf(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return sys.decode(bytes, from, to - from) ?? marked(bytes.subarray(from, to));
}

function marked(bytes: Uint8Array): string {
  let text = '';
  for (const [from, to, isText] of runsOf(bytes)) {
    if (isText) text += sys.decode(bytes, from, to - from);
    else for (const byte of bytes.subarray(from, to)) text += String.fromCharCode(0xdc00 | byte);
  }
  return text;
}
