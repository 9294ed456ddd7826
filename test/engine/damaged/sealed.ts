/**
 * Records of TLS 1.3 whose keys are known (a server logs them), opened and sealed again, so that what is inside can be
 * changed: RFC 8446, 5.2 and 7.1, with TLS_AES_128_GCM_SHA256.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

export const CIPHER = 'TLS_AES_128_GCM_SHA256';
const TAG_BYTES = 16;

/** One direction's key, and its counter of records. */
export class Sealed {
  #secret: Buffer;
  #key!: Buffer;
  #iv!: Buffer;
  #count = 0n;

  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#derive();
  }

  /** As after a KeyUpdate. */
  update(): void {
    this.#secret = expanded(this.#secret, 'traffic upd', 32);
    this.#derive();
  }

  /** The type and content of an encrypted record, which begins with its header. */
  open(record: Buffer): { type: number; content: Buffer } {
    const opening = createDecipheriv('aes-128-gcm', this.#key, this.#nonce());
    opening.setAAD(record.subarray(0, 5)).setAuthTag(record.subarray(-TAG_BYTES));
    const inner = Buffer.concat([opening.update(record.subarray(5, -TAG_BYTES)), opening.final()]);
    const end = inner.findLastIndex((byte) => byte !== 0);
    return { type: inner[end] ?? 0, content: inner.subarray(0, Math.max(end, 0)) };
  }

  /** @param padding the number of zeros after the type */
  seal(type: number, content: Buffer, padding = 0): Buffer {
    const inner = Buffer.concat([content, Buffer.from([type]), Buffer.alloc(padding)]);
    const header = Buffer.from([23, 3, 3, 0, 0]);
    header.writeUInt16BE((inner.length + TAG_BYTES) & 0xffff, 3);
    const sealing = createCipheriv('aes-128-gcm', this.#key, this.#nonce()).setAAD(header);
    return Buffer.concat([header, sealing.update(inner), sealing.final(), sealing.getAuthTag()]);
  }

  #derive(): void {
    this.#key = expanded(this.#secret, 'key', 16);
    this.#iv = expanded(this.#secret, 'iv', 12);
    this.#count = 0n;
  }

  #nonce(): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ this.#count++, 4);
    return nonce;
  }
}

/** HKDF-Expand-Label without a context, of one block at most. */
function expanded(secret: Buffer, label: string, length: number): Buffer {
  const full = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, full.length]), full, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}
