export const WIDTH = 150;
export const HEIGHT = 40;

/** The line of these values, newest at the right end, from 0 at the bottom to their greatest at the top. */
export function linePath(values: readonly number[], kept = WIDTH, least = 1): string {
  const most = Math.max(least, ...values);
  const step = WIDTH / Math.max(1, kept - 1);
  const from = WIDTH - (values.length - 1) * step;
  return values
    .map(
      (value, i) =>
        `${i === 0 ? 'M' : 'L'}${(from + i * step).toFixed(1)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`,
    )
    .join('');
}
