/** A part of the page that is always there. */
export function part(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

/** An element with text. What others wrote gets into the page by this alone, and so never as markup. */
export function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

/** Writes only where something is other: a screen reader would say it again. */
export function setText(at: Element, text: string): void {
  if (at.textContent !== text) at.textContent = text;
}

/** A pair of a list of figures. */
export function figure(name: string, value: string, tone = ''): HTMLElement {
  const pair = element('div', '');
  pair.append(element('dt', '', name), element('dd', tone, value));
  return pair;
}
