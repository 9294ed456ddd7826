import type { Content } from './contents.ts';
import type { Document, Parsed } from './document.ts';
import { documentId } from './generation.ts';
import type { Mark, Segment } from './progress.ts';

/** What a document takes in memory beside its source. */
const DOCUMENT_OVERHEAD_BYTES = 200;

const BATCH_BYTES = 1024 * 1024;
const BATCH_DOCUMENTS = 2000;

/** What a document counts against the budget. */
export function weightOf(document: Document): number {
  return document.source.length + DOCUMENT_OVERHEAD_BYTES;
}

/** Gathers documents until a request is full. */
export class Batcher {
  readonly #indexPrefix: string;
  #documents: Document[] = [];
  #bytes = 0;
  #segment: Segment | undefined;

  constructor(indexPrefix: string) {
    this.#indexPrefix = indexPrefix;
  }

  get isFull(): boolean {
    return this.#bytes >= BATCH_BYTES || this.#documents.length >= BATCH_DOCUMENTS;
  }

  get isEmpty(): boolean {
    return this.#documents.length === 0;
  }

  /**
   * @param offset where the line begins
   * @param next where reading goes on after it
   */
  add(content: Content, parsed: Parsed, offset: number, next: Mark): Document {
    const { progress, generation } = content;
    if (this.#segment?.progress !== progress) this.#segment = progress.begin();
    this.#segment.left++;
    this.#segment.end = next;
    const document = {
      index: this.#indexPrefix + parsed.day.replaceAll('-', '.'),
      id: documentId(generation, offset),
      source: parsed.source,
      segment: this.#segment,
    };
    this.#documents.push(document);
    this.#bytes += document.source.length;
    return document;
  }

  /** The documents so far; the next ones travel apart. */
  seal(): readonly Document[] {
    const documents = this.#documents;
    this.#documents = [];
    this.#bytes = 0;
    this.#segment = undefined;
    return documents;
  }
}
