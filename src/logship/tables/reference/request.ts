import { lineDigest } from '../line-digest.ts';
import { Stop, type Block } from '../scanner.ts';
import type { DocumentText } from './document.ts';
import type { OpenEvent } from './open-event.ts';

const DAY_MS = 86_400_000;
/** Number of digits of an offset in an ID. */
const OFFSET_DIGITS = 9;

/** Writes the documents of a scan to its request. */
export class Request {
  readonly #documents: DocumentText;

  constructor(documents: DocumentText) {
    this.#documents = documents;
  }

  /** Writes an event. Returns why it cannot be written, or Stop.end. */
  write(block: Block, event: OpenEvent): Stop {
    if (block.documents >= block.most) return Stop.full;
    const { text } = event;
    const action = this.#action(block, event);
    if (action === undefined) {
      block.stopAt = Math.floor(event.timeMs / DAY_MS);
      return Stop.day;
    }
    const body = Buffer.concat([action, Buffer.from(`${this.#documents.of(text, event.timeMs)}\n`)]);
    if (body.length > block.into.length - block.filled) return Stop.full;
    block.filled += body.copy(block.into, block.filled);
    block.firstOffset = block.documents === 0 ? event.offset : Math.min(block.firstOffset, event.offset);
    if (block.documents === 0 || event.endOffset > block.endOffset) {
      block.endOffset = event.endOffset;
      block.endMs = event.endMs;
    }
    block.documents++;
    block.lines += event.lines;
    return Stop.end;
  }

  /** The line before the document; undefined if its day has no opening. */
  #action({ openings, name }: Block, event: OpenEvent): Buffer | undefined {
    if (openings === undefined) return Buffer.alloc(0);
    const day = Math.floor(event.timeMs / DAY_MS);
    const opening = openings.find((one) => one.day === day);
    if (opening === undefined) return undefined;
    const id = `${name}${event.offset.toString(36).padStart(OFFSET_DIGITS, '0')}${lineDigest(event.firstLine)}`;
    return Buffer.concat([opening.bytes, Buffer.from(`${id}"}}\n`)]);
  }
}
