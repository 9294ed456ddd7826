/** A set of bytes: bit `byte & 7` of the byte at `byte >> 3`. */
export type ByteSet = Readonly<Uint8Array>;

const SET_BYTES = 32;

/** Whether the byte is in the set. */
export function hasByte(set: ByteSet, byte: number): boolean {
  return ((set[byte >> 3]! >> (byte & 7)) & 1) === 1;
}

/** The bytes of a text, which is ASCII. Sets are made at each start of a program, so none of these looks at all 256 bytes. */
export function bytesOf(text: string): ByteSet {
  const bits = new Uint8Array(SET_BYTES);
  for (const byte of Buffer.from(text)) bits[byte >> 3]! |= 1 << (byte & 7);
  return bits;
}

/** The bytes that are in any of the sets. */
export function union(...sets: readonly ByteSet[]): ByteSet {
  return new Uint8Array(SET_BYTES).map((_, at) => sets.reduce((bits, set) => bits | set[at]!, 0));
}

/** The set without the bytes of a text. */
export function without(set: ByteSet, text: string): ByteSet {
  const others = bytesOf(text);
  return set.map((bits, at) => bits & ~others[at]!);
}

function between(first: number, last: number): ByteSet {
  const bits = new Uint8Array(SET_BYTES);
  for (let byte = first; byte <= last; byte++) bits[byte >> 3]! |= 1 << (byte & 7);
  return bits;
}

/** Every byte. */
export const ANY: ByteSet = new Uint8Array(SET_BYTES).fill(255);
/** `\d` of a regular expression. */
export const DIGIT = between(48, 57);
export const UPPER = between(65, 90);
export const LETTER = union(UPPER, between(97, 122));
/** `\w` of a regular expression. */
export const WORD = union(DIGIT, LETTER, bytesOf('_'));
/** `\S` of a regular expression, for bytes. */
export const DARK = without(ANY, ' \t\n\v\f\r');
/** Everything above the space, as words are separated in oslo.log. */
export const ABOVE_SPACE = between(33, 255);
/** Visible ASCII. */
export const PRINT = between(33, 126);
export const NOT_SPACE = without(ANY, ' ');
