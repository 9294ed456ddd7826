/** A duration with useful precision: `3s`, `4m`, `2h 05m`, `3d 4h`. */
export function lasted(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${String(minutes % 60).padStart(2, '0')}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** A time as `14:02:11`. The date precedes it, unless it is today. */
export function clock(ms: number, nowMs: number): string {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(size: number): string {
  let rest = size;
  let unit = 0;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
}

/** A number with groups of three digits: `12 345`. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

export function many(n: number, one: string, more: string): string {
  return `${count(n)} ${n === 1 ? one : more}`;
}

export const PLOT_WIDTH = 150;
export const PLOT_HEIGHT = 40;

/** SVG path of these values. The newest is at the right; 0 is at the bottom and the maximum at the top. */
export function linePath(values: readonly number[], kept = PLOT_WIDTH): string {
  const most = Math.max(1, ...values);
  const step = PLOT_WIDTH / Math.max(1, kept - 1);
  const from = PLOT_WIDTH - (values.length - 1) * step;
  return values
    .map(
      (value, i) =>
        `${i === 0 ? 'M' : 'L'}${(from + i * step).toFixed(1)} ${(PLOT_HEIGHT - (value / most) * PLOT_HEIGHT).toFixed(1)}`,
    )
    .join('');
}
