/** The text of a page with the lowest contrast to its background. */
export interface Contrast {
  readonly least: { readonly ratio: number; readonly text: string };
  /** Number of texts that were checked. */
  readonly seen: number;
}

/** For page.evaluate(): finds the text with the lowest contrast, by WCAG 2's relative luminance. A string, since the page has other globals. */
export const LEAST_CONTRAST = `(() => {
  const parts = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((each) => {
      const part = each / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  let least = { ratio: Infinity, text: '' };
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility() || /^(SCRIPT|NOSCRIPT)$/.test(element.tagName)) continue;
    seen++;
    const both = [luminance(parts(getComputedStyle(element).color)), luminance(behind(element))].toSorted((a, b) => b - a);
    const ratio = (both[0] + 0.05) / (both[1] + 0.05);
    if (ratio < least.ratio) least = { ratio, text: node.textContent + ' (' + element.tagName + '.' + element.className + ')' };
  }
  return { least, seen };
})()`;
