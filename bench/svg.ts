/** Rendered on dark and light backgrounds. */
const STYLE = `
  svg { color-scheme: light dark }
  text { font: 13px system-ui, sans-serif; fill: light-dark(#1f2328, #e6edf3) }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: light-dark(#59636e, #9198a1) }
  .ours { color: light-dark(#0969da, #4493f8) } .peer { color: light-dark(#b1bac4, #656c76) }
  .other { color: light-dark(#bc4c00, #db6d28) } rect, circle { fill: currentColor }
  .line { fill: none; stroke: currentColor; stroke-width: 2 } .grid { stroke: light-dark(#d1d9e0, #3d444d) }`;

export const WIDTH = 720;

/** Who is compared. */
export interface Compared {
  readonly title: string;
  readonly subject: string;
  readonly peer: string;
  /** A second peer. */
  readonly other?: string | undefined;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A drawing with its title. */
export function svgOf({ title }: Pick<Compared, 'title'>, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<text class="title" x="10" y="22">${escaped(title)}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const LEGEND_X = [10, 90, 370];

/** The color of each, below the title. */
export function legend({ subject, peer, other }: Compared, remark: string): string[] {
  const named = other === undefined ? { ours: subject, peer } : { ours: subject, peer, other };
  const entries = Object.entries(named);
  return entries.map(([who, name], nth) => {
    const x = LEGEND_X[nth]!;
    const text = nth === entries.length - 1 ? name + remark : name;
    return (
      `<rect class="${who}" x="${x}" y="33" width="10" height="10" rx="2"/>` +
      `<text class="small" x="${x + 15}" y="42">${escaped(text)}</text>`
    );
  });
}
