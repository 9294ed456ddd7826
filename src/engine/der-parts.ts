/** The parts of a certificate by their tags, each with the form that its tag asks for. */
import { valuesOf, type Value } from '../core/der.ts';

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

/** What one value holds, in its order. Every part's form is checked as it is taken; RangeError says what is wrong. */
export class Parts {
  readonly #values: readonly Value[];
  readonly #what: string;
  #at = 0;

  constructor(content: Buffer, what: string) {
    this.#values = valuesOf(content);
    this.#what = what;
  }

  /** The tag of what comes next. */
  get next(): number | undefined {
    return this.#values[this.#at]?.tag;
  }

  /** Its content, whose form is checked. */
  take(tag: number, what: string): Buffer {
    const value = this.#values[this.#at++];
    if (value?.tag !== tag) throw new RangeError(`${what} is not where it should be in ${this.#what}`);
    if (!isRight(value))
      throw new RangeError(`${what} in ${this.#what} is not what its tag 0x${tag.toString(16)} says`);
    return value.content;
  }

  end(): void {
    if (this.#at < this.#values.length) throw new RangeError(`trailing data in ${this.#what}`);
  }
}

const any = (): boolean => true;

/** The universal types that a certificate may have, with what is asked of their contents. */
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

/** Tags of other classes say nothing of what is in them. */
function isRight({ tag, content }: Value): boolean {
  return (tag & 0xc0) !== 0 || FORMS[tag]?.(content) === true;
}

/** Not empty, and its first nine bits are not all the same. */
function isInteger([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return first !== undefined;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** How many bits of the last byte don't count, and the bytes, in which these bits are 0. */
export function isBitString(content: Buffer): boolean {
  const unused = content[0] ?? 8;
  return unused < 8 && (content.length === 1 ? unused === 0 : (content.at(-1)! & ((1 << unused) - 1)) === 0);
}

/** Numbers of seven bits a byte, each as short as it can be, and the last one ended. */
function isObjectIdentifier(content: Buffer): boolean {
  return (content.at(-1) ?? 0x80) < 0x80 && content.every((byte, i) => byte !== 0x80 || (content[i - 1] ?? 0) >= 0x80);
}
