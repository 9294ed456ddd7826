/** Collects the bytes of a table or a layout. */
export class BytesWriter {
  readonly #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  /** @param what the place of the value in messages */
  u8(value: number, what: string): this {
    return this.#add(value, 255, what);
  }

  u16(value: number, what: string): this {
    this.#check(value, 65_535, what);
    this.#bytes.push(value & 255, value >> 8);
    return this;
  }

  raw(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** A text after its length in one byte. */
  text8(text: Buffer, what: string): this {
    return this.u8(text.length, what).raw(text);
  }

  /** A text after its length in two bytes. */
  text16(text: Buffer, what: string): this {
    return this.u16(text.length, what).raw(text);
  }

  /** Sets two bytes that were written before. */
  patch16(at: number, value: number, what: string): void {
    this.#check(value, 65_535, what);
    this.#bytes[at] = value & 255;
    this.#bytes[at + 1] = value >> 8;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #add(value: number, most: number, what: string): this {
    this.#check(value, most, what);
    this.#bytes.push(value);
    return this;
  }

  #check(value: number, most: number, what: string): void {
    if (!(value >= 0 && value <= most)) throw new RangeError(`${what}: ${value} is more than ${most}`);
  }
}
