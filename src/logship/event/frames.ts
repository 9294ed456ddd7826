import type { Content } from '../read/content.ts';
import { Frame } from './frame.ts';

/** Number of paths whose last generation is remembered. */
const REMEMBERED = 1024;

/** Finds the frame of each generation. */
export class Frames {
  readonly #frames = new WeakMap<Content, Frame>();
  /** The newest generation of each path, which its successor continues: its frame, or its number if that has no lines. */
  readonly #latest = new Map<string, Frame | number>();
  readonly #release: (frame: Frame) => void;
  /** More are looked through for those that can be forgotten. */
  #most = REMEMBERED;

  /** @param release called for a frame whose successor begins */
  constructor(release: (frame: Frame) => void) {
    this.#release = release;
  }

  /** @param offset the offset of the first line read, if the generation is new */
  of(content: Content, offset: number): Frame {
    const known = this.#frames.get(content);
    if (known !== undefined) return known;
    const { path } = content.generation;
    const latest = this.#latest.get(path);
    const before = typeof latest === 'number' ? undefined : latest;
    if (before !== undefined) this.#release(before);
    const frame = new Frame(content, offset, offset === 0 && before?.isHolding === true ? before : undefined);
    this.#frames.set(content, frame);
    content.forget = () => this.#forget(content);
    if (nthOf(latest) <= content.nth) this.#remember(path, frame);
    return frame;
  }

  #forget(content: Content): void {
    const { path } = content.generation;
    if (this.#latest.get(path) === this.#frames.get(content)) this.#latest.set(path, content.nth);
    this.#frames.delete(content);
    content.forget = undefined;
  }

  #remember(path: string, frame: Frame): void {
    this.#latest.delete(path);
    this.#latest.set(path, frame);
    if (this.#latest.size <= this.#most) return;
    // The number of dated file names keeps growing. A frame with open events is active and is found again by its path.
    for (const [old, latest] of this.#latest) {
      if (typeof latest !== 'number' && latest.isHolding) continue;
      this.#latest.delete(old);
      if (this.#latest.size <= REMEMBERED) break;
    }
    // If many thousands hold open events, not each new one looks through them all.
    this.#most = this.#latest.size <= REMEMBERED ? REMEMBERED : 2 * this.#latest.size;
  }
}

function nthOf(latest: Frame | number | undefined): number {
  return typeof latest === 'number' ? latest : (latest?.content.nth ?? -1);
}
