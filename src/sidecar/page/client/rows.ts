import { element, setText } from './dom.ts';

/** One row of a list. `tone` is not shown by colour alone: it also has a mark and a word. */
export interface RowText {
  readonly tone: 'well' | 'wait' | 'bad' | 'plain';
  readonly name: string;
  /** Shown in the tone's colour, before `what`. */
  readonly word: string;
  readonly what: string;
  /** A time that is shown relative to now, or a text. */
  readonly since?: number;
  readonly when?: string;
}

const MARKS = { well: '✓', wait: '…', bad: '✕', plain: '' };
/** Maximum number of new rows per frame, so that the page stays responsive while a thousand rows are created. */
const MADE_A_FRAME = 200;

interface Made {
  readonly row: HTMLElement;
  readonly mark: HTMLElement;
  readonly name: HTMLElement;
  readonly word: HTMLElement;
  readonly what: HTMLElement;
  readonly time: HTMLElement;
  item: unknown;
}

/** A list that updates only rows that have changed. */
export class Rows<T extends { readonly name: string }> {
  readonly #list: HTMLElement;
  readonly #text: (item: T) => RowText;
  readonly #isWide: boolean;
  readonly #made = new Map<string, Made>();
  #wanted: readonly T[] = [];
  #isQueued = false;

  constructor(list: HTMLElement, text: (item: T) => RowText, isWide = false) {
    this.#list = list;
    this.#text = text;
    this.#isWide = isWide;
  }

  /** Shows these rows in this order. */
  show(items: readonly T[]): void {
    this.#wanted = items;
    const names = new Set(items.map(({ name }) => name));
    for (const [name, { row }] of this.#made) {
      if (names.has(name)) continue;
      row.remove();
      this.#made.delete(name);
    }
    this.#fill();
  }

  #fill(): void {
    let left = MADE_A_FRAME;
    let at: Element | null = this.#list.firstElementChild;
    for (const item of this.#wanted) {
      let made = this.#made.get(item.name);
      if (made === undefined) {
        if (left === 0) break;
        left--;
        made = this.#make(item.name);
      }
      if (made.row === at) at = at.nextElementSibling;
      else this.#list.insertBefore(made.row, at);
      if (made.item !== item) this.#write(made, item);
    }
    if (this.#made.size < this.#wanted.length && !this.#isQueued) {
      this.#isQueued = true;
      requestAnimationFrame(() => {
        this.#isQueued = false;
        this.#fill();
      });
    }
  }

  #make(name: string): Made {
    const made: Made = {
      row: element('li', 'row'),
      mark: element('span', 'mark'),
      name: element('span', 'name'),
      word: element('span', 'word'),
      what: element('span', ''),
      time: element('time', ''),
      item: undefined,
    };
    made.mark.setAttribute('aria-hidden', 'true');
    const text = element('span', 'what');
    text.append(made.word, made.what);
    made.row.append(made.mark, made.name, text, made.time);
    this.#made.set(name, made);
    return made;
  }

  #write(made: Made, item: T): void {
    const { tone, name, word, what, since, when } = this.#text(item);
    const isNews = made.item !== undefined && made.row.dataset['tone'] !== tone;
    made.item = item;
    made.row.dataset['tone'] = tone;
    made.row.className = `row ${tone}${this.#isWide ? ' wide' : ''}${isNews ? ' news' : ''}`;
    setText(made.mark, MARKS[tone]);
    setText(made.name, name);
    setText(made.word, word);
    setText(made.what, what === '' || word === '' ? what : ` ${what}`);
    if (since === undefined) delete made.time.dataset['since'];
    else made.time.dataset['since'] = String(since);
    if (when !== undefined) setText(made.time, when);
  }
}
