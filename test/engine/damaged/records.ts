/**
 * What a TLS server sends, as records on their way to the client:
 *
 *   the server's bytes -> records; of TLS 1.3, opened by the keys that the server logs -> pieces() may change them -> sealed
 *   again -> the client
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Sealed } from './sealed.ts';

export interface Piece {
  readonly type: number;
  readonly content: Buffer;
}

export const [HANDSHAKE, DATA] = [22, 23];
const [FINISHED, KEY_UPDATE] = [20, 24];

/** To be used as the connection of a server's TLSSocket, whose key log goes to logged(). */
export class RecordLine extends Duplex {
  protected readonly raw: Socket;
  #pending = Buffer.alloc(0);
  #keys: { readonly application: Buffer; opened: Sealed; sealed: Sealed } | undefined;
  #handshake: Buffer | undefined;

  constructor(raw: Socket) {
    super();
    this.raw = raw;
    raw.on('data', (bytes: Buffer) => void this.push(bytes));
    raw.on('end', () => void this.push(null));
    raw.on('error', () => {});
    raw.on('close', () => this.destroy());
    raw.setNoDelay();
    this.on('error', () => {});
  }

  /** @returns what is sent instead of a record */
  protected pieces(piece: Piece): readonly Piece[] {
    return [piece];
  }

  protected send(bytes: Buffer): void {
    this.raw.write(bytes);
  }

  /** Zeros after the content of an encrypted record. */
  protected padding(): number {
    return 0;
  }

  /** A line of the server's key log. */
  logged(line: string): void {
    const [what, , secret = ''] = line.trim().split(' ');
    if (what === 'SERVER_HANDSHAKE_TRAFFIC_SECRET') this.#handshake = Buffer.from(secret, 'hex');
    if (what !== 'SERVER_TRAFFIC_SECRET_0' || this.#handshake === undefined) return;
    const [opened, sealed] = [new Sealed(this.#handshake), new Sealed(this.#handshake)];
    this.#keys = { application: Buffer.from(secret, 'hex'), opened, sealed };
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 5) {
      const length = 5 + this.#pending.readUInt16BE(3);
      if (this.#pending.length < length) break;
      this.#pass(this.#pending.subarray(0, length));
      this.#pending = this.#pending.subarray(length);
    }
    done();
  }

  override _final(done: () => void): void {
    this.raw.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.raw.destroy();
    done(error);
  }

  #pass(record: Buffer): void {
    const type = record[0]!;
    if (type !== DATA || this.#keys === undefined) {
      const content = record.subarray(5);
      for (const piece of this.pieces({ type, content })) this.send(plain(piece));
      return;
    }
    const piece = this.#keys.opened.open(record);
    const isLast = piece.type === HANDSHAKE && hasFinished(piece.content);
    for (const one of this.pieces(piece)) this.#seal(one);
    if (!isLast) return;
    this.#keys.opened = new Sealed(this.#keys.application);
    this.#keys.sealed = new Sealed(this.#keys.application);
  }

  #seal({ type, content }: Piece): void {
    const { sealed } = this.#keys!;
    this.send(sealed.seal(type, content, this.padding()));
    if (type === HANDSHAKE && content[0] === KEY_UPDATE && content.length === 5) sealed.update();
  }
}

function plain({ type, content }: Piece): Buffer {
  const header = Buffer.from([type, 3, 3, 0, 0]);
  header.writeUInt16BE(content.length & 0xffff, 3);
  return Buffer.concat([header, content]);
}

function hasFinished(content: Buffer): boolean {
  for (let at = 0; at + 4 <= content.length; at += 4 + content.readUIntBE(at + 1, 3))
    if (content[at] === FINISHED) return true;
  return false;
}
