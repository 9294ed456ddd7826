import { isTlsAlert, TlsAlertError } from '../dial/tls-alert.ts';
import { Http2Error } from './error.ts';

/** RFC 9113, 6. */
export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Our only stream. */
export const STREAM = 1;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

const HEAD_BYTES = 9;
/** The default of SETTINGS_MAX_FRAME_SIZE, which we keep. */
export const PAYLOAD_MAX_BYTES = 16_384;
/** As many bytes as tell a TLS alert. */
const TOLD_BYTES = 3;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  // 24 bits of length, then the type.
  head.writeUInt32BE(payload.length * 2 ** 8 + type);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Splits what the server sends into frames, the first of which must be its settings. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => boolean;
  /** The frame that has begun. */
  readonly #room = Buffer.alloc(HEAD_BYTES + PAYLOAD_MAX_BYTES);
  #length = 0;
  #isFirst = true;
  #isOver = false;

  /** @param onFrame called with each frame, whose payload is valid only then; returns whether to read more */
  constructor(onFrame: (frame: Frame) => boolean) {
    this.#onFrame = onFrame;
  }

  /** @throws Http2Error; TlsAlertError; what onFrame() throws */
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length && !this.#isOver;) {
      const isInHead = this.#length < HEAD_BYTES;
      const part = piece.subarray(at, at + (isInHead ? HEAD_BYTES : this.#wholeBytes) - this.#length);
      this.#room.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (this.#isFirst) this.#checkFirst();
      if (this.#length < HEAD_BYTES || this.#length < this.#wholeBytes) continue;
      this.#length = 0;
      this.#isFirst = false;
      this.#isOver = !this.#onFrame({
        type: this.#room[3]!,
        flags: this.#room[4]!,
        stream: this.#stream,
        payload: this.#room.subarray(HEAD_BYTES, this.#wholeBytes),
      });
    }
  }

  /** Its highest bit is reserved. */
  get #stream(): number {
    return this.#room.readUInt32BE(5) & 0x7f_ff_ff_ff;
  }

  get #wholeBytes(): number {
    const length = this.#room.readUInt32BE(0) >>> 8;
    if (length > PAYLOAD_MAX_BYTES) throw new Http2Error(`a frame of ${length} bytes`);
    return HEAD_BYTES + length;
  }

  /** Rejects other protocols without waiting for more: a greeting may be shorter than the head of a frame. */
  #checkFirst(): void {
    if (this.#length < TOLD_BYTES) return;
    if (isTlsAlert(this.#room.toString('latin1', 0, TOLD_BYTES))) throw new TlsAlertError();
    const [high, , , type, flags = 0] = this.#room;
    // A length that fits begins with 0.
    const isSettings =
      high === 0 &&
      (this.#length < HEAD_BYTES || (type === TYPE.settings && (flags & FLAG.ack) === 0 && this.#stream === 0));
    if (!isSettings) throw new Http2Error('it sends no settings', true);
  }
}
