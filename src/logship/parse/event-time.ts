import type { Zone } from './zone.ts';

/**
 * Reads `2026-11-20 08:15:42.123` (a comma will do, more digits are cut). Lines come in order, so a minute's beginning is
 * worked out once: no zone changes its offset within a minute.
 */
export class EventTime {
  readonly #zone: Zone;
  #minute = '';
  #minuteMs = NaN;

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  /** Milliseconds since the epoch; NaN when it is no time. */
  read(text: string): number {
    const minute = text.slice(0, 16);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#minuteMs = this.#readMinute(minute);
    }
    const seconds = Number(text.slice(17, 19));
    return seconds <= 60 ? this.#minuteMs + seconds * 1000 + Number(text.slice(20, 23).padEnd(3, '0')) : NaN;
  }

  #readMinute(text: string): number {
    const parts = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)$/.exec(text)?.slice(1).map(Number);
    if (parts === undefined) return NaN;
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts;
    const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 23 && minute <= 59;
    return isTime ? this.#zone(year, month, day, hour, minute) : NaN;
  }
}
