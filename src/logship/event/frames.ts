import type { Content } from '../read/contents.ts';
import { Frame } from './frame.ts';

/** Number of paths whose last generation is remembered. */
const REMEMBERED = 1024;

/** Finds the frame of each generation. */
export class Frames {
  readonly #frames = new WeakMap<Content, Frame>();
  /** The newest frame of each path, which its successor continues. */
  readonly #latest = new Map<string, Frame>();

  /** @param offset the offset of the first line read, if the generation is new */
  of(content: Content, offset: number): Frame {
    const known = this.#frames.get(content);
    if (known !== undefined) return known;
    const { path } = content.generation;
    const before = this.#latest.get(path);
    const frame = new Frame(content, offset, offset === 0 && before?.isHolding === true ? before : undefined);
    this.#frames.set(content, frame);
    this.#remember(path, frame);
    return frame;
  }

  #remember(path: string, frame: Frame): void {
    this.#latest.delete(path);
    this.#latest.set(path, frame);
    if (this.#latest.size <= REMEMBERED) return;
    // The number of dated file names keeps growing. A frame with open events is active and is found again by its path.
    for (const [old, { isHolding }] of this.#latest) {
      if (isHolding) continue;
      this.#latest.delete(old);
      return;
    }
  }
}
