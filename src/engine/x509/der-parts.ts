/** The parts of a certificate by tag, each with a syntax check. */
import { valuesOf, type Value } from '../../core/der.ts';

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universal: 0x1c,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  issuerId: 0x81,
  subjectId: 0x82,
  extensions: 0xa3,
} as const;

/** The values in one container, in order. Each is checked when it is taken; RangeError describes the problem. */
export class Parts {
  readonly #values: readonly Value[];
  readonly #what: string;
  #at = 0;

  constructor(content: Buffer, what: string) {
    this.#values = valuesOf(content);
    this.#what = what;
  }

  /** The tag of the next value. */
  get next(): number | undefined {
    return this.#values[this.#at]?.tag;
  }

  /** The checked content of the next value. */
  take(tag: number, what: string): Buffer {
    const value = this.#values[this.#at++];
    if (value?.tag !== tag) throw new RangeError(`${what} is misplaced in ${this.#what}`);
    if (!isRight(value)) throw new RangeError(`${what} in ${this.#what} does not match its tag 0x${tag.toString(16)}`);
    return value.content;
  }

  end(): void {
    if (this.#at < this.#values.length) throw new RangeError(`trailing data in ${this.#what}`);
  }
}

const any = (): boolean => true;

/** The universal types in certificates, with checks of their contents. */
const FORMS: Readonly<Record<number, (content: Buffer) => boolean>> = {
  [TAG.boolean]: ({ length }) => length === 1,
  [TAG.integer]: isInteger,
  [TAG.bitString]: isBitString,
  [TAG.octetString]: any,
  0x05: ({ length }) => length === 0,
  [TAG.objectIdentifier]: isObjectIdentifier,
  [TAG.utf8]: any,
  0x12: any,
  0x13: any,
  0x14: any,
  0x16: any,
  [TAG.utcTime]: ({ length }) => length >= 'yymmddhhmmssZ'.length,
  [TAG.generalizedTime]: ({ length }) => length >= 'yyyymmddhhmmssZ'.length,
  [TAG.universal]: ({ length }) => length % 4 === 0,
  [TAG.bmp]: ({ length }) => length % 2 === 0,
  [TAG.sequence]: any,
  [TAG.set]: any,
};

/** Tags of other classes do not describe their content. */
function isRight({ tag, content }: Value): boolean {
  return (tag & 0xc0) !== 0 || FORMS[tag]?.(content) === true;
}

/** Content is not empty, and its first nine bits are not all equal. */
function isInteger([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return first !== undefined;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** The number of unused bits in the last byte, followed by the bytes, in which those bits are 0. */
export function isBitString(content: Buffer): boolean {
  const unused = content[0] ?? 8;
  return unused < 8 && (content.length === 1 ? unused === 0 : (content.at(-1)! & ((1 << unused) - 1)) === 0);
}

/** Numbers in base 128, each in its shortest form, and the last one terminated. */
function isObjectIdentifier(content: Buffer): boolean {
  return (content.at(-1) ?? 0x80) < 0x80 && content.every((byte, i) => byte !== 0x80 || (content[i - 1] ?? 0) >= 0x80);
}
