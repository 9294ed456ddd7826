import type { ShippingStatus } from './document.ts';

const SAMPLE_MS = 2000;
/** Number of samples for five minutes. */
const KEPT = 150;

interface Measured {
  readonly lag: number;
  /** Counts since the start of the attempt. */
  readonly lines: number;
}

/** Lag and rate of log shipping over the last minutes. */
export class Samples {
  readonly #measure: () => Measured;
  readonly #everyMs: number;
  #lag: readonly number[] = [];
  #rate: readonly number[] = [];
  #lines = 0;

  constructor(measure: () => Measured, everyMs: number = SAMPLE_MS) {
    this.#measure = measure;
    this.#everyMs = everyMs;
  }

  /** Takes samples until it is disposed. */
  start(): Disposable {
    this.#lines = 0;
    const timer = setInterval(() => this.take(), this.#everyMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  take(): void {
    const { lag, lines } = this.#measure();
    const perSecond = ((lines - this.#lines) * 1000) / this.#everyMs;
    this.#lines = lines;
    this.#lag = [...this.#lag, lag].slice(-KEPT);
    this.#rate = [...this.#rate, Math.max(0, perSecond)].slice(-KEPT);
  }

  now(): Pick<ShippingStatus, 'lagBytes' | 'linesPerSecond' | 'sampleMs' | 'lag' | 'rate'> {
    return {
      lagBytes: this.#lag.at(-1) ?? 0,
      linesPerSecond: this.#rate.at(-1) ?? 0,
      sampleMs: this.#everyMs,
      lag: this.#lag,
      rate: this.#rate,
    };
  }
}
