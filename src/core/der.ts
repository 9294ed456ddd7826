/**
 * Reads DER (ITU-T X.690), the encoding of certificates: tag, length, content. Lengths must be minimal and within their
 * container, so that each value has exactly one encoding.
 */
export interface Value {
  readonly tag: number;
  readonly content: Buffer;
  /** The parts of a value: tag, length and content. */
  readonly whole: Buffer;
}

/** The low bits of a tag that continues in further bytes; certificates have no such tags. */
const LONG_TAG = 0x1f;
/** A length in more bytes would exceed 4 GiB. */
const LENGTH_MAX_BYTES = 4;

/**
 * The consecutive values in a buffer.
 * @throws RangeError with the problem and its byte offset
 */
export function valuesOf(der: Buffer): Value[] {
  const values: Value[] = [];
  for (let at = 0; at < der.length; at += values.at(-1)!.whole.length) values.push(valueAt(der, at));
  return values;
}

/**
 * Encodes a value.
 * @param tag a tag of one byte
 */
export function encode(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function valueAt(der: Buffer, at: number): Value {
  const [tag, first] = [der[at]!, der[at + 1]];
  if ((tag & LONG_TAG) === LONG_TAG) throw new RangeError(`a tag of several bytes at byte ${at}`);
  if (first === undefined) throw new RangeError(`a value without a length at byte ${at}`);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > LENGTH_MAX_BYTES || start > der.length)
    throw new RangeError(`a length that is truncated or too long at byte ${at}`);
  const length = lengthBytes === 0 ? first : der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  if (start + length > der.length) throw new RangeError(`a value that is longer than its container at byte ${at}`);
  if (lengthOf(length).length !== 1 + lengthBytes)
    throw new RangeError(`a length in more bytes than it needs, or in none, at byte ${at}`);
  return { tag, content: der.subarray(start, start + length), whole: der.subarray(at, start + length) };
}

/** The first byte is the length itself, or the number of bytes that contain the length. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}
