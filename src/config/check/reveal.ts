import { isUtf8 } from 'node:buffer';
import type { structuredPatch } from 'diff';
import { sha256 } from '#digest';
import { printable } from '../../core/log.ts';
import type { Redact } from '../../core/redact.ts';
import { bytesOf, chunksOf, type Content as Bytes } from '../../fs/content.ts';
import { isCredential, mentionsCredential } from '../../core/credential.ts';
import { maskIni } from './mask-ini.ts';

/**
 * Size and truncated keyed hash of a content. They distinguish contents within one run, but can't verify a guessed
 * password.
 */
export interface Digest {
  readonly bytes: number;
  readonly digest: string;
}

/** How two contents differ, in a form that may be shown. */
export interface Content {
  readonly actual: Digest;
  readonly wanted: Digest;
  /** Lines of a unified diff: `-` installed, `+` wanted. */
  readonly diff?: readonly string[];
  /** The reason why there is no diff. */
  readonly hidden?: string;
}

export interface Sides {
  /** The path as in config.json; its name may imply a secret. */
  readonly dest: string;
  readonly actual: Bytes;
  readonly wanted: Bytes;
  /** Set if the file is not world-readable. */
  readonly isPrivate: boolean;
}

const SHOWN_MAX_BYTES = 262_144;
/** Maximum number of edits: a larger diff is slow and not useful. */
const EDITS_MAX = 2_000;
const LINES_MAX = 400;
const LINE_MAX_CHARACTERS = 500;
const DIGEST_CHARACTERS = 8;

/**
 * Two different contents in a form safe to display. An INI file is shown with possible secrets as digests, and with all
 * values as digests if the file is not world-readable. Other text is shown if it is world-readable and contains nothing
 * that looks like a secret; else only digests are.
 * @param key of the digests: random, and used for this run only
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
  if (!isIni && (maskAll || mentionsCredential(was) || mentionsCredential(is))) return hide('it may contain a secret');
  const [left, right] = isIni ? [wasMasked, isMasked] : [was, is];
  const { hunks } = patch('', '', left, right, undefined, undefined, { context: 3, maxEditLength: EDITS_MAX }) ?? {};
  if (hunks === undefined) return hide('nearly all of it differs');
  // Line ends and spaces around values are not part of the displayed INI.
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

/** The content as text; undefined if it is binary. */
function textOf(content: Uint8Array): string | undefined {
  return content.includes(0) || !isUtf8(content) ? undefined : bytesOf(content).toString();
}

function shortened(line: string): string {
  return line.length > LINE_MAX_CHARACTERS ? `${line.slice(0, LINE_MAX_CHARACTERS)}...` : line;
}
