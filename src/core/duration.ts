const MS_PER_UNIT: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest delay of a Node timer; longer timers fire immediately. */
export const LONGEST_MS = 2 ** 31 - 1;

/**
 * Milliseconds of `900ms`, `5s`, `30m` or `1h30m`, in Kubernetes' notation. Throws RangeError.
 * @param longestMs the maximum, which may exceed a timer's limit if no timer uses the value
 */
export function parseDuration(text: string, longestMs = LONGEST_MS): number {
  if (text === '0') return 0;
  if (/^\d+(\.\d+)?$/.test(text)) throw new RangeError(`'${text}' has no unit: write ${text}s, ${text}m or ${text}ms`);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text))
    throw new RangeError(`'${text}' is not a duration such as 900ms, 5s or 1h30m`);
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    total += Number(amount) * (MS_PER_UNIT[unit] ?? 0);
  }
  if (total > longestMs) {
    const days = Math.floor(longestMs / (MS_PER_UNIT['d'] ?? 1));
    throw new RangeError(`'${text}' is longer than ${days} days, the maximum`);
  }
  return Math.round(total);
}

/** The shortest readable form: `900ms`, `4.2s`, `2m05s`, `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')}s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  if (hours > 0) return minutes === 0 ? `${hours}h` : `${hours}h${two(minutes)}m`;
  return rest === 0 ? `${minutes}m` : `${minutes}m${two(rest)}s`;
}
