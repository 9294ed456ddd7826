import { escaped, STYLE } from './svg.ts';

/** One quantity measured for both, in its own unit. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** Undefined if the peer has no equivalent. */
  readonly peer: number | undefined;
  /** Upper target for ours; undefined if there is none. */
  readonly reach?: number;
}

const WIDTH = 720;
const LEFT = 370;
const BAR = 14;
const ROW = 46;
const TOP = 56;

/** For a terminal. */
export function figureLine(figure: Figure, subject: string): string {
  const { what, unit, ours, peer, reach } = figure;
  return `${what}\n    ${subject} ${ours} ${unit}${verdict(ours, reach)}${peer === undefined ? '' : `, peer ${peer} ${unit}`}`;
}

/** For docs/concepts/performance.md. */
export function figureTable(figures: readonly Figure[], subject: string): string[] {
  return [
    `| what | unit | ${subject} | peer |`,
    '|---|---|---|---|',
    ...figures.map(
      ({ what, unit, ours, peer, reach }) => `| ${what} | ${unit} | ${ours}${verdict(ours, reach)} | ${peer ?? '–'} |`,
    ),
  ];
}

/** A value compared with its upper target, if it has one. */
export function verdict(value: number, target: number | undefined): string {
  if (target === undefined) return '';
  return ` (target ${target}: ${value <= target ? 'met' : 'missed'})`;
}

/** Both as bars, each row on its own scale. */
export function figureDrawing(
  { title, peer, subject = 'kolla-pod' }: { title: string; peer: string; subject?: string },
  figures: readonly Figure[],
): string {
  const height = TOP + figures.length * ROW + 10;
  const bars = figures.map((figure, i) => {
    const y = TOP + i * ROW;
    const scale = (WIDTH - LEFT - 130) / Math.max(figure.ours, figure.peer ?? 0, Number.MIN_VALUE);
    const bar = (who: 'ours' | 'peer', at: number) => {
      const value = figure[who];
      if (value === undefined) return '';
      const length = value * scale;
      return (
        `<rect class="${who}" x="${LEFT}" y="${at}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>` +
        `<text class="small" x="${(LEFT + length + 6).toFixed(1)}" y="${at + 11}">${value} ${escaped(figure.unit)}</text>`
      );
    };
    return [
      `<text x="${LEFT - 10}" y="${y + 21}" text-anchor="end">${escaped(figure.what)}</text>`,
      bar('ours', y + 2),
      bar('peer', y + 2 + BAR + 3),
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<text class="title" x="10" y="22">${escaped(title)}</text>`,
    `<rect class="ours" x="10" y="33" width="10" height="10" rx="2"/><text class="small" x="25" y="42">${subject}</text>`,
    `<rect class="peer" x="90" y="33" width="10" height="10" rx="2"/><text class="small" x="105" y="42">${escaped(peer)}; each row on its own scale</text>`,
    ...bars,
    '</svg>\n',
  ].join('\n');
}

/** The smallest value with at least the given fraction of the values at or below it (0.5: the median). */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(values.length * part)) - 1] ?? NaN;
}

/** Rounded to significant digits. */
export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
