/** An actor's activity, with start and end in ms since the story began. */
export interface Span {
  readonly actor: string;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Determines the span's colour. */
  readonly kind: Kind;
}

export type Kind = 'server' | 'wait' | 'work' | 'healthy' | 'unhealthy';

const FILL: Record<Kind, string> = {
  server: '#8b98a5',
  wait: '#f2b84b',
  work: '#3b82c4',
  healthy: '#3fa46a',
  unhealthy: '#d0545a',
};

const BLOCK: Record<Kind, string> = { server: '▒', wait: '░', work: '█', healthy: '█', unhealthy: '▓' };

/** The spans as rows of blocks for a terminal of that width, one row per actor in order of appearance. */
export function drawText(told: readonly Span[], width: number): string {
  const spans = fromZero(told);
  const actors = [...new Set(spans.map((span) => span.actor))];
  const nameWidth = Math.max(...actors.map((actor) => actor.length));
  const room = Math.max(20, Math.min(width, 120) - nameWidth - 3);
  const end = Math.max(...spans.map((span) => span.end), 1);
  const column = (ms: number) => Math.round((ms / end) * (room - 1));
  const rows = actors.map((actor) => {
    const cells: string[] = Array.from({ length: room }, () => ' ');
    for (const span of spans.filter((s) => s.actor === actor)) {
      cells.fill(BLOCK[span.kind], column(span.start), Math.max(column(span.end), column(span.start) + 1));
    }
    return `${actor.padEnd(nameWidth)} │${cells.join('').trimEnd()}`;
  });
  const scale = `${' '.repeat(nameWidth)} └${'─'.repeat(room)}`;
  const marks = `${' '.repeat(nameWidth)}  0 s${`${(end / 1000).toFixed(1)} s`.padStart(room - 3)}`;
  const legend = `${' '.repeat(nameWidth)}  ${BLOCK.wait} waits  ${BLOCK.work} works  ${BLOCK.unhealthy} unhealthy  ${BLOCK.server} server`;
  return [...rows, scale, marks, legend].join('\n');
}

const ROW = 30;
const LEFT = 190;
const PLOT = 760;

/** The same as a standalone picture with labels; readable on light and dark pages. */
export function drawSvg(title: string, told: readonly Span[]): string {
  const spans = fromZero(told);
  const actors = [...new Set(spans.map((span) => span.actor))];
  const end = Math.max(...spans.map((span) => span.end), 1);
  const x = (ms: number) => LEFT + (ms / end) * PLOT;
  const height = 76 + actors.length * ROW;
  const names = actors.map((actor, row) => text(LEFT - 10, 62 + row * ROW, actor, 'end'));
  const bars = spans.flatMap((span) => {
    const top = 44 + actors.indexOf(span.actor) * ROW;
    const width = Math.max(2, x(span.end) - x(span.start));
    const bar = `<rect x="${x(span.start).toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="3" fill="${FILL[span.kind]}"><title>${escapeXml(`${span.actor}: ${span.label}, ${((span.end - span.start) / 1000).toFixed(2)} s`)}</title></rect>`;
    const fits = span.label.length * 6.4 + 8 < width;
    return fits
      ? [bar, `<text x="${(x(span.start) + 6).toFixed(1)}" y="${top + 15}" fill="#fff">${escapeXml(span.label)}</text>`]
      : [bar];
  });
  const ticks = tickTimes(end).flatMap((ms) => [
    `<line x1="${x(ms).toFixed(1)}" y1="38" x2="${x(ms).toFixed(1)}" y2="${height - 28}" stroke="#8886" stroke-dasharray="2 4"/>`,
    text(x(ms), height - 12, `${ms / 1000} s`, 'middle'),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + PLOT + 30} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    '<style>text{fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}rect+text{fill:#fff}</style>',
    text(LEFT, 24, title, 'start'),
    ...ticks,
    ...names,
    ...bars,
    '</svg>\n',
  ].join('\n');
}

/** Sorted by start, the first at 0: earlier downloads are not part of the pod's life. */
function fromZero(spans: readonly Span[]): Span[] {
  const zero = Math.min(...spans.map((span) => span.start));
  const moved = spans.map((span) => ({ ...span, start: span.start - zero, end: span.end - zero }));
  return moved.toSorted((a, b) => a.start - b.start);
}

/** Whole seconds, at most ten. */
function tickTimes(end: number): number[] {
  const step = [1, 2, 5, 10, 20, 30, 60, 120].find((s) => end / (s * 1000) <= 10) ?? 300;
  return Array.from({ length: Math.floor(end / (step * 1000)) + 1 }, (_, i) => i * step * 1000);
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
