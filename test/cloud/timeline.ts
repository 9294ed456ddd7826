import { messageOf } from '../../src/core/errors.ts';

/** A finished step of the run. */
export interface Step {
  readonly title: string;
  readonly startSeconds: number;
  readonly seconds: number;
  /** What the step observed: a figure, a version, a state; or why it failed. */
  readonly saw: string;
  readonly hasFailed: boolean;
}

/** Prints each step as it ends, with the time since the run's start and its own duration; keeps them for the page. */
export class Timeline {
  readonly steps: Step[] = [];
  /** The running step; if several run, the one that started last. */
  current = '';
  readonly #began = performance.now();

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Runs a step; its result's text, if it is one, is printed next to it. */
  async step<T>(title: string, work: () => Promise<T>): Promise<T> {
    const start = this.seconds;
    this.current = title;
    const record = (saw: string, hasFailed: boolean) =>
      this.steps.push({ title, startSeconds: start, seconds: this.seconds - start, saw, hasFailed });
    let result: T;
    try {
      result = await work();
    } catch (error) {
      record(`failed: ${messageOf(error).split('\n', 1)[0]}`, true);
      throw error;
    }
    const saw = typeof result === 'string' ? result : '';
    record(saw, false);
    this.say(`${title}${saw === '' ? '' : `: ${saw}`} (${(this.seconds - start).toFixed(1)} s)`);
    return result;
  }

  say(line: string): void {
    console.log(`${this.seconds.toFixed(0).padStart(5)} s  ${line}`);
  }
}
