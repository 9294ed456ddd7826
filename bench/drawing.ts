import type { Bench, Row } from './bench.ts';

const WIDTH = 720;
const LEFT = 300;
const BAR = 14;
const ROW = 46;
const TOP = 56;
/** Seen on dark and on light alike. */
export const STYLE = `
  svg { color-scheme: light dark }
  text { font: 13px system-ui, sans-serif; fill: light-dark(#1f2328, #e6edf3) }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: light-dark(#59636e, #9198a1) }
  .ours { fill: light-dark(#0969da, #4493f8) } .peer { fill: light-dark(#b1bac4, #656c76) }`;

/** The least CPU of both in each row, as bars of one scale. */
export function drawingOf({ title, peer }: Pick<Bench, 'title' | 'peer'>, rows: readonly Row[]): string {
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
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<text class="title" x="10" y="22">${escaped(title)}</text>`,
    `<rect class="ours" x="10" y="33" width="10" height="10" rx="2"/><text class="small" x="25" y="42">kolla-pod</text>`,
    `<rect class="peer" x="90" y="33" width="10" height="10" rx="2"/><text class="small" x="105" y="42">${escaped(peer)}; CPU, least of the rounds</text>`,
    ...bars,
    '</svg>\n',
  ].join('\n');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
