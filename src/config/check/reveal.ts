import { isUtf8 } from 'node:buffer';
import type { structuredPatch } from 'diff';
import { sha256 } from '../../core/digest.ts';
import { printable } from '../../core/log.ts';
import type { Redact } from '../../core/redact.ts';
import { bytesOf, chunksOf, type Content as Bytes } from '../../fs/content.ts';
import { isCredential, mentionsCredential } from '../../core/credential.ts';
import { maskIni } from './mask-ini.ts';

/**
 * A side's size and the beginning of a hash that no other process can compute: it tells two contents of one run apart, and whoever
 * guesses a password cannot try whether it gives the same.
 */
export interface Digest {
  readonly bytes: number;
  readonly digest: string;
}

/** How two contents differ, as far as it may be shown. */
export interface Content {
  readonly actual: Digest;
  readonly wanted: Digest;
  /** Lines of a unified diff: `-` in place, `+` wanted. */
  readonly diff?: readonly string[];
  /** Why there is none. */
  readonly hidden?: string;
}

export interface Sides {
  /** As config.json writes it: its name may say that a secret is in it. */
  readonly dest: string;
  readonly actual: Bytes;
  readonly wanted: Bytes;
  /** Others may not read the file. */
  readonly isPrivate: boolean;
}

const SHOWN_MAX_BYTES = 262_144;
/** Edits beyond which a diff says nothing, and takes long. */
const EDITS_MAX = 2_000;
const LINES_MAX = 400;
const LINE_MAX_CHARACTERS = 500;
const DIGEST_CHARACTERS = 8;

/**
 * Two contents that differ, for anybody's eyes. An INI file is shown with each value that may be a secret as its digest, and
 * with all of them so when others may not read the file. Any other text is shown when others may read it and nothing
 * in it looks like a secret; else there are only digests.
 * @param key of the digests: random, and of this run alone
 */
export function reveal(
  { dest, actual, wanted, isPrivate }: Sides,
  redact: Redact,
  patch: typeof structuredPatch,
  key: Uint8Array,
): Content {
  const digests = { actual: digestOf(actual, key), wanted: digestOf(wanted, key) };
  const shortDigest = (value: string) => keyed([Buffer.from(value)], key);
  const hide = (hidden: string): Content => ({ ...digests, hidden });
  if (Math.max(actual.byteLength, wanted.byteLength) > SHOWN_MAX_BYTES) return hide('it is too long');
  const [was, is] = [textOf(bytesOf(actual)), textOf(bytesOf(wanted))];
  if (was === undefined || is === undefined) return hide('it is not text');
  const maskAll = isPrivate || isCredential(dest);
  const [wasMasked, isMasked] = [maskIni(was, maskAll, shortDigest), maskIni(is, maskAll, shortDigest)];
  const isIni = wasMasked !== undefined && isMasked !== undefined;
  if (!isIni && isPrivate) return hide('others may not read the file');
  if (!isIni && (maskAll || mentionsCredential(was) || mentionsCredential(is))) return hide('it may hold a secret');
  const [left, right] = isIni ? [wasMasked, isMasked] : [was, is];
  const { hunks } = patch('', '', left, right, undefined, undefined, { context: 3, maxEditLength: EDITS_MAX }) ?? {};
  if (hunks === undefined) return hide('nearly all of it differs');
  // Line ends and spaces around values are dropped in what is shown of an INI file.
  if (hunks.length === 0) return hide('only spaces differ');
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...changed,
  ]);
  const shown = lines.slice(0, LINES_MAX).map((line) => shortened(printable(redact(line))));
  const more = lines.length > LINES_MAX ? [`... ${lines.length - LINES_MAX} lines more`] : [];
  return { ...digests, diff: [...shown, ...more] };
}

function digestOf(content: Bytes, key: Uint8Array): Digest {
  return { bytes: content.byteLength, digest: keyed(chunksOf(content), key) };
}

function* behind(key: Uint8Array, chunks: Iterable<Uint8Array>): Iterable<Uint8Array> {
  yield key;
  yield* chunks;
}

function keyed(chunks: Iterable<Uint8Array>, key: Uint8Array): string {
  return sha256(behind(key, chunks)).slice(0, DIGEST_CHARACTERS);
}

/** Undefined for what is no text. */
function textOf(content: Uint8Array): string | undefined {
  return content.includes(0) || !isUtf8(content) ? undefined : bytesOf(content).toString();
}

function shortened(line: string): string {
  return line.length > LINE_MAX_CHARACTERS ? `${line.slice(0, LINE_MAX_CHARACTERS)}...` : line;
}
