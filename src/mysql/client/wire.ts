import type { Conversation } from '../../net/dial/conversation.ts';
import { ResponseTooLargeError } from '../../net/dial/too-large.ts';
import {
  errorIn,
  Fields,
  HEADER_BYTES,
  KIND,
  packetIn,
  packetOf,
  type Packet,
} from '../../net/protocols/mysql-packets.ts';

/** A login, or the result of a query: ours have a few KiB. */
const RESPONSE_MAX_BYTES = 2 ** 20;

/** Packets both ways, numbered, and bounded in all. */
export class Wire {
  readonly #talk: Conversation;
  #number = 0;
  #heard = 0;
  #said: Buffer | undefined;

  /** @param opened the number of the server's first packet */
  constructor(talk: Conversation, opened: number) {
    this.#talk = talk;
    this.#number = opened + 1;
  }

  /** Sends a packet, which is erased when the server has answered it. */
  say(...parts: readonly Uint8Array[]): void {
    this.#said = packetOf(this.#number++, ...parts);
    this.#talk.say(this.#said);
  }

  /** Sends a command, which begins a new count of packets and bytes. */
  command(...parts: readonly Uint8Array[]): void {
    this.#number = 0;
    this.#heard = 0;
    this.say(...parts);
  }

  /**
   * The server's next packet.
   * @throws the error that is in it, with `errno` and `sqlMessage`, as mysql2 has it; as hear() of the conversation
   */
  async hear(): Promise<Fields> {
    const { number, payload } = await this.#answer();
    this.#number = number + 1;
    this.#heard += HEADER_BYTES + payload.length;
    if (this.#heard > RESPONSE_MAX_BYTES) throw new ResponseTooLargeError(RESPONSE_MAX_BYTES);
    const fields = new Fields(payload);
    if (fields.next !== KIND.error) return fields;
    fields.take(1);
    const { errno, text } = errorIn(fields, true);
    throw serverError(errno, text);
  }

  async #answer(): Promise<Packet> {
    try {
      return await this.#talk.hear<Packet>(packetIn);
    } finally {
      this.#said?.fill(0);
      this.#said = undefined;
    }
  }
}

/** The server's error, in the form of mysql2's. */
export function serverError(errno: number, sqlMessage: string): Error {
  return Object.assign(new Error(sqlMessage || `error ${errno}`), { errno, sqlMessage });
}
