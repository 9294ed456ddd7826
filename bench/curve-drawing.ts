import type { Figure } from './figure.ts';
import { escaped, legend, svgOf, WIDTH, type Compared } from './svg.ts';

const HEIGHT = 360;
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 30, 64, 50];
const GRID_LINES = 5;
/** Distance of two ticks that are both labeled. */
const LABEL_WIDTH = 40;

/**
 * Values over a quantity as lines from zero.
 * @param at the quantity of each figure, ascending
 */
export function curveDrawing(compared: Compared, at: readonly number[], figures: readonly Figure[]): string {
  const whose = (['ours', 'peer', 'other'] as const).filter((who) => figures.every((one) => one[who] !== undefined));
  const most = Math.max(...figures.flatMap((figure) => whose.map((who) => figure[who]!)));
  const last = at.at(-1)!;
  const x = (value: number) => LEFT + (value / last) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const label = (left: number, top: number, anchor: string, text: string) =>
    `<text class="small" x="${left.toFixed(1)}" y="${top.toFixed(1)}" text-anchor="${anchor}">${escaped(text)}</text>`;
  const grid = Array.from({ length: GRID_LINES }, (_, nth) => {
    const value = (most * nth) / (GRID_LINES - 1);
    const line = `<path class="grid" d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}"/>`;
    return line + label(LEFT - 8, y(value) + 4, 'end', value.toFixed(0));
  });
  const ticks = at
    .filter((value, nth) => nth === 0 || x(value) - x(at[nth - 1]!) >= LABEL_WIDTH)
    .map((value) => label(x(value), HEIGHT - BOTTOM + 18, 'middle', value.toLocaleString('en')));
  const lines = whose.map((who) => {
    const points = figures.map((figure, nth) => [x(at[nth]!).toFixed(1), y(figure[who]!).toFixed(1)] as const);
    const dots = points.map(([left, top]) => `<circle class="${who}" cx="${left}" cy="${top}" r="3.5"/>`);
    return `<path class="${who} line" d="M${points.map((point) => point.join(' ')).join('L')}"/>${dots.join('')}`;
  });
  const axes = [
    label(WIDTH - RIGHT, HEIGHT - 12, 'end', 'lines/s'),
    label(LEFT - 8, TOP - 6, 'end', figures[0]?.unit ?? ''),
  ];
  return svgOf(compared, HEIGHT, [...legend(compared, ''), ...grid, ...ticks, ...axes, ...lines]);
}
