import { DARK, DIGIT, without } from '../tables/byte-set.ts';
import { as, maybe, place, quoted, rest, run, time, to, type Item } from '../tables/items.ts';

/** A problem of a pattern, at a column from 1. */
export class PatternError extends Error {
  override name = 'PatternError';

  constructor(column: number, what: string) {
    super(`column ${column}: ${what}`);
  }
}

const NAME = /^_?[A-Za-z@][\w.@-]{0,63}$|^_$/;
const LAYOUT = /^(?:[YymdHMSbenhNsfFzZacU_]|[^A-Za-z])+$/;
/** A column's text, `{name:what}`. */
const COLUMN = /^\{([^{}:]*?)(\.\.\.)?(?::([^{}]*))?\}/;
/** What a column may be, if it is no time. */
const KINDS = ['digits', 'text', 'quoted'] as const;

/**
 * The items of a site's pattern: `{Timestamp:Y-m-d H:M:S.f} {?[{Pid:digits}] ?}{log_level}: {Payload...}`.
 *
 *   {name}         one word, which does not contain the character that follows
 *   {name:digits}  digits · {name:text} up to the text that follows · {name:quoted} up to the closing quote
 *   {name:Y-m-d}   a time: see the layouts of `time`; `.f` is an optional fraction
 *   {name...}      the rest of the event
 *   {? ... ?}      may be missing · {{ a brace
 *
 * @param isFirst whether a line that matches begins an event
 * @throws PatternError
 */
export function patternItems(pattern: string, isFirst: boolean): readonly Item[] {
  return new Pattern(pattern, isFirst).items();
}

class Pattern {
  readonly #text: string;
  readonly #isFirst: boolean;
  readonly #names = new Set<string>();
  #at = 0;
  #hasRest = false;

  constructor(text: string, isFirst: boolean) {
    this.#text = text;
    this.#isFirst = isFirst;
  }

  items(): readonly Item[] {
    const items = this.#all(false);
    const begins = this.#isFirst && !this.#hasRest ? [place('begins')] : [];
    return [...items, ...begins];
  }

  #all(isOptional: boolean): Item[] {
    const from = this.#at;
    const items: Item[] = [];
    while (this.#at < this.#text.length) {
      if (this.#hasRest) throw new PatternError(this.#at + 1, 'nothing can follow the rest of the event');
      if (this.#is('?}')) {
        if (!isOptional) throw new PatternError(this.#at + 1, '`?}` without `{?` before it');
        this.#at += 2;
        return items;
      }
      items.push(this.#one());
    }
    if (isOptional) throw new PatternError(from - 1, '`{?` without `?}` after it');
    return items;
  }

  #one(): Item {
    if (this.#is('{?')) {
      this.#at += 2;
      return maybe(...this.#all(true));
    }
    if (!this.#is('{') || this.#is('{{')) return this.#literal();
    const found = COLUMN.exec(this.#text.slice(this.#at));
    if (found === null) throw new PatternError(this.#at + 1, 'write a column as {name} or {name:what}, a brace as {{');
    const column = this.#at + 1;
    const [all, name = '', dots, what] = found;
    this.#at += all.length;
    if (!NAME.test(name)) throw new PatternError(column, `'${name}' is not a name of letters, digits and _`);
    if (name !== '_' && this.#names.has(name)) throw new PatternError(column, `'${name}' is there twice`);
    this.#names.add(name);
    return dots === undefined ? this.#column(name, what, column) : this.#rest(name, column);
  }

  #literal(): Item {
    let text = '';
    while (this.#at < this.#text.length && !this.#is('?}')) {
      if (this.#is('{{')) this.#at++;
      else if (this.#is('{')) break;
      text += this.#text[this.#at++]!;
    }
    return text;
  }

  #rest(name: string, column: number): Item {
    if (this.#at < this.#text.length) throw new PatternError(column, `'${name}...' must be the end of the line`);
    this.#hasRest = true;
    return rest(name, ...(this.#isFirst ? [place('begins')] : []));
  }

  #column(name: string, what: string | undefined, column: number): Item {
    const next = this.#next();
    switch (what) {
      case undefined:
        return as(name, run(without(DARK, next.slice(0, 1).trim())));
      case 'digits':
        return as(name, run(DIGIT));
      case 'text':
        if (next === '')
          throw new PatternError(column, `text must follow '${name}', which ends there; or write {${name}...}`);
        return as(name, to(next));
      case 'quoted':
        return as(name, quoted());
      default:
        if (!LAYOUT.test(what) || !/[YymdbeHhMNSs]/.test(what))
          throw new PatternError(column, `'${what}' is neither ${KINDS.join(', ')} nor a time such as Y-m-d H:M:S.f`);
        return as(name, time(what.replaceAll(/[.,]([fF])/g, '$1')));
    }
  }

  /** The text that follows, up to the next column. */
  #next(): string {
    return /^(?:\{\{|\?(?!\})|[^{?])*/.exec(this.#text.slice(this.#at))![0].replaceAll('{{', '{');
  }

  #is(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }
}
