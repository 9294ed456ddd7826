import type { Row } from './bench.ts';
import { escaped, legend, svgOf, WIDTH, type Compared } from './svg.ts';

const LEFT = 300;
const BAR = 14;
const ROW = 46;
const TOP = 56;
/** Minimum CPU time of both in each row, as bars on a common scale. */
export function drawingOf(compared: Compared, rows: readonly Row[]): string {
  const most = Math.max(...rows.flatMap(({ ours, peer: theirs }) => [ours.cpuMs.min, theirs.cpuMs.min]));
  const scale = (WIDTH - LEFT - 130) / most;
  const height = TOP + rows.length * ROW + 10;
  const bars = rows.map((row, i) => {
    const y = TOP + i * ROW;
    const bar = (who: 'ours' | 'peer', at: number, more: string) => {
      const length = row[who].cpuMs.min * scale;
      return (
        `<rect class="${who}" x="${LEFT}" y="${at}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>` +
        `<text class="small" x="${(LEFT + length + 6).toFixed(1)}" y="${at + 11}">${row[who].cpuMs.min} ms${more}</text>`
      );
    };
    const work = row.work.length > 44 ? `${row.work.slice(0, 43)}…` : row.work;
    return [
      `<text x="${LEFT - 10}" y="${y + 21}" text-anchor="end"><title>${escaped(row.work)}</title>${escaped(work)}</text>`,
      bar('ours', y + 2, ` (${row.ratio}×)`),
      bar('peer', y + 2 + BAR + 3, ''),
    ].join('\n');
  });
  return svgOf(compared, height, [...legend(compared, '; minimum CPU of the rounds'), ...bars]);
}
