import { escaped, legend, svgOf, WIDTH, type Compared } from './svg.ts';

/** One quantity measured for both, in its own unit. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** Undefined if the peer has no equivalent. */
  readonly peer: number | undefined;
  /** The second peer's, in benches with one. */
  readonly other?: number;
  /** Upper target for ours; undefined if there is none. */
  readonly reach?: number;
}

const LEFT = 370;
const BAR = 14;
/** From one bar to the next, and from one row's last bar to the next row's first. */
const STEP = BAR + 3;
const GAP = 12;
const TOP = 56;

/** For a terminal. */
export function figureLine(figure: Figure, { subject, other: second }: Compared): string {
  const { what, unit, ours, peer, other, reach } = figure;
  const peers = [
    peer === undefined ? '' : `, peer ${peer} ${unit}`,
    other === undefined ? '' : `, ${second} ${other} ${unit}`,
  ];
  return `${what}\n    ${subject} ${ours} ${unit}${verdict(ours, reach)}${peers.join('')}`;
}

/** For docs/concepts/performance.md. */
export function figureTable(figures: readonly Figure[], { subject, other: second }: Compared): string[] {
  const more = (text: string | number) => (second === undefined ? '' : ` ${text} |`);
  return [
    `| what | unit | ${subject} | peer |${more(second ?? '')}`,
    `|---|---|---|---|${second === undefined ? '' : '---|'}`,
    ...figures.map(
      ({ what, unit, ours, peer, other, reach }) =>
        `| ${what} | ${unit} | ${ours}${verdict(ours, reach)} | ${peer ?? '–'} |${more(other ?? '–')}`,
    ),
  ];
}

/** A value compared with its upper target, if it has one. */
export function verdict(value: number, target: number | undefined): string {
  if (target === undefined) return '';
  return ` (target ${target}: ${value <= target ? 'met' : 'missed'})`;
}

/** Values as bars, each row on its own scale. */
export function figureDrawing(compared: Compared, figures: readonly Figure[]): string {
  const row = STEP * (compared.other === undefined ? 2 : 3) + GAP;
  const height = TOP + figures.length * row + 10;
  const bars = figures.map((figure, i) => {
    const values = { ours: figure.ours, peer: figure.peer, other: figure.other };
    const y = TOP + i * row;
    const most = Math.max(...Object.values(values).map((value) => value ?? 0), Number.MIN_VALUE);
    const scale = (WIDTH - LEFT - 130) / most;
    const bar = ([who, value]: [string, number | undefined], nth: number) => {
      if (value === undefined) return '';
      const [at, length] = [y + 2 + nth * STEP, value * scale];
      return (
        `<rect class="${who}" x="${LEFT}" y="${at}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>` +
        `<text class="small" x="${(LEFT + length + 6).toFixed(1)}" y="${at + 11}">${value} ${escaped(figure.unit)}</text>`
      );
    };
    return [
      `<text x="${LEFT - 10}" y="${y + 21}" text-anchor="end">${escaped(figure.what)}</text>`,
      ...Object.entries(values).map(bar),
    ].join('\n');
  });
  return svgOf(compared, height, [...legend(compared, '; each row on its own scale'), ...bars]);
}

/** The smallest value with at least the given fraction of the values at or below it (0.5: the median). */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(values.length * part)) - 1] ?? NaN;
}

/** Rounded to this number of decimals. */
export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
