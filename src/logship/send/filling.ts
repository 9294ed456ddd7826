import type { Batcher } from '../batch/batcher.ts';
import type { Budget } from '../batch/limits.ts';
import type { BulkSink } from '../event/bulk.ts';
import type { LogEvent } from '../event/event.ts';
import type { Content } from '../read/content.ts';
import type { Counts } from '../report/counts.ts';

interface FillingParts {
  readonly batcher: Batcher;
  readonly budget: Pick<Budget, 'take'>;
  readonly counts: Pick<Counts, 'lines' | 'documents'>;
  readonly maxLineBytes: number;
  /** The earliest generation of the target to which an earlier run may have sent lines, if the target has generations. */
  readonly earlier: number | undefined;
  /** Sends what is filled. Returns false if that is nothing. */
  readonly flush: () => boolean;
  /** Whether another request may be filled. */
  readonly hasRoom: () => boolean;
}

/** Fills requests with documents: of single events, and of lines in bulk. */
export class Filling {
  readonly #parts: FillingParts;
  readonly bulk: BulkSink;

  constructor(parts: FillingParts) {
    this.#parts = parts;
    const { batcher, maxLineBytes, flush, hasRoom } = parts;
    this.bulk = {
      maxLineBytes,
      flush,
      hasRoom,
      room: (block) => batcher.room(block),
      enterDay: (day) => batcher.enterDay(day),
      add: (content, block, span) => {
        this.#enter(content, block.firstOffset);
        this.#added(batcher.addBlock(block, span), block.documents, block.lines);
      },
    };
  }

  readonly emit = (event: LogEvent): void => {
    this.#enter(event.content, event.offset);
    this.#added(this.#parts.batcher.add(event), 1, event.lines);
  };

  /** Called before a document is added. */
  #enter({ sentTo }: Content, offset: number): void {
    const { earlier, batcher } = this.#parts;
    if (earlier !== undefined && offset < sentTo) batcher.indexGeneration = earlier;
  }

  #added(bytes: number, documents: number, lines: number): void {
    const { budget, counts, batcher, flush } = this.#parts;
    budget.take(bytes);
    counts.lines += lines;
    counts.documents += documents;
    if (batcher.isFull) flush();
  }
}
