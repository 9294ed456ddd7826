import type { Progress } from '../position/progress.ts';
import { range, type Batch } from '../batch/batch.ts';

/**
 * The budget of documents that wait separately, because the server accepts others but not them. When it is used up, their
 * files are not read on: the lines wait there, and all other files keep the rest of the memory.
 */
export class Aside {
  readonly #limit: () => number;
  readonly #spent: () => void;
  /** The files of each batch, until it is settled. */
  readonly #files = new Map<Batch, ReadonlySet<Progress>>();
  #bytes = 0;
  #isReported = false;
  #isHolding = false;

  /**
   * @param limit the present number of bytes, which the requests in flight may exceed
   * @param spent called when the budget is used up for the first time since it was empty
   */
  constructor(limit: () => number, spent: () => void) {
    this.#limit = limit;
    this.#spent = spent;
  }

  take(batch: Batch): void {
    const spans = range(batch).flatMap((at) => batch.spans(at));
    this.#files.set(batch, new Set(spans.map(({ progress }) => progress)));
    this.#bytes += batch.weight;
    if (this.#bytes < this.#limit() || this.#isReported) return;
    this.#isReported = true;
    this.#spent();
  }

  give(batch: Batch): void {
    if (!this.#files.delete(batch)) return;
    this.#bytes -= batch.weight;
    if (this.#bytes === 0) this.#isReported = false;
  }

  /** Called before the files are read. */
  begin(): void {
    this.#isHolding = false;
  }

  /** Whether a file was not read on since `begin`. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Whether the file must not be read on. */
  readonly holds = ({ progress }: { readonly progress: Progress }): boolean => {
    const isHeld = this.#bytes >= this.#limit() && [...this.#files.values()].some((files) => files.has(progress));
    this.#isHolding ||= isHeld;
    return isHeld;
  };
}
