/** The element with this selector, which the page always contains. */
export function part(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Creates an element with text. Text from other programs is inserted only here, and therefore never as markup. */
export function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

/** Writes only a text that has changed, because a screen reader would repeat an unchanged one. */
export function setText(at: Element, text: string): void {
  if (at.textContent !== text) at.textContent = text;
}

/** A name and a value in a list of figures. */
export function figure(name: string, value: string, tone = ''): HTMLElement {
  const pair = element('div', '');
  pair.append(element('dt', '', name), element('dd', tone, value));
  return pair;
}
