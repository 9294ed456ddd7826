/** The DER encodings used in certificates (ITU-T X.690). Each returns a whole tag-length-value. */
export type Der = Buffer;

/** Any tag: its content is the concatenation of the arguments. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Der {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export function sequence(...contents: readonly Uint8Array[]): Der {
  return der(0x30, ...contents);
}

export function setOf(...contents: readonly Uint8Array[]): Der {
  return der(0x31, ...contents);
}

/** A non-negative number as big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  // A leading 1 bit would make it negative.
  return der(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function boolean(value: boolean): Der {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

/** An object identifier: `2.5.29.17`. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function utf8String(text: string): Der {
  return der(0x0c, Buffer.from(text));
}

export function octetString(content: Uint8Array): Der {
  return der(0x04, content);
}

/**
 * @param unusedBits number of unused low bits in the last byte
 */
export function bitString(content: Uint8Array, unusedBits = 0): Der {
  return der(0x03, Buffer.from([unusedBits]), content);
}

/** UTCTime, for the years 1950 to 2049. */
export function time(date: Date): Der {
  return der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) + 128);
  return bytes;
}
