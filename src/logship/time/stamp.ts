const SECOND_MS = 1000;

/** Formats times as ISO 8601. Lines are in order, so each second is formatted once. */
export class Stamp {
  #secondMs = NaN;
  /** The text `2026-11-20T08:15:42.`. */
  #second = '';
  #day = '';

  /** Formats a time as `2026-11-20T08:15:42.123Z`. */
  iso(ms: number): string {
    const rest = ms - this.#secondMs;
    if (rest >= 0 && rest < SECOND_MS) return this.#second + threeDigits(rest);
    this.#secondMs = Math.floor(ms / SECOND_MS) * SECOND_MS;
    const text = new Date(this.#secondMs).toISOString();
    this.#second = text.slice(0, -4);
    this.#day = text.slice(0, 10);
    return this.#second + threeDigits(ms - this.#secondMs);
  }

  /** The day of the time that was formatted last: `2026-11-20`. */
  get day(): string {
    return this.#day;
  }
}

function threeDigits(ms: number): string {
  const whole = Math.trunc(ms);
  return `${whole < 100 ? (whole < 10 ? '00' : '0') : ''}${whole}Z`;
}
