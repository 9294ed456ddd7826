/** Rendered on dark and light backgrounds. */
export const STYLE = `
  svg { color-scheme: light dark }
  text { font: 13px system-ui, sans-serif; fill: light-dark(#1f2328, #e6edf3) }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: light-dark(#59636e, #9198a1) }
  .ours { fill: light-dark(#0969da, #4493f8) } .peer { fill: light-dark(#b1bac4, #656c76) }`;

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
