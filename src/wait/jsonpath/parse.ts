/**
 * The JSONPath of `kubectl wait --for=jsonpath=`, as data: `{.items[?(@.type=="Ready")].status}` -> steps, which find.ts
 * follows. Nothing is evaluated as code. The syntax is that of k8s.io/client-go/util/jsonpath, less `range`, `end` and
 * text outside the braces, which kubectl wait has no use for.
 */

/** One step from a set of values to the next. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice';
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'union'; readonly of: readonly Step[] }
  | { readonly kind: 'filter'; readonly left: Operand; readonly compare?: Comparison };

/** A value in a filter: a literal, or a path from the item. */
export type Operand = { readonly literal: string | number | boolean } | { readonly steps: readonly Step[] };

export interface Comparison {
  readonly operator: (typeof OPERATORS)[number];
  readonly right: Operand;
}

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;

/** What ends a name, unless a backslash precedes it. */
const NAME = /(?:[^\s.,[\]$@{}()'"\\=!<>]|\\.)+/uy;
const NUMBER = /[+-]?\d+(?:\.\d+)?(?![\w.])/y;
const WORD = /(?:true|false)\b/y;
const TEXT = /'((?:[^'\\]|\\['"\\])*)'|"((?:[^"\\]|\\['"\\])*)"/y;
/** A name in brackets, in which a backslash may precede any character, as in a name after a dot. */
const QUOTED_NAME = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/uy;
const SLICE = /(-?\d+)?(?::(-?\d+)?(?::(\d+)?)?)?(?=\s*[\],])/y;
const SPACE = /\s*/y;

/** A JSONPath that cannot be read; `offset` is where, from 0. */
export class JsonPathSyntaxError extends Error {
  override name = 'JsonPathSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * @param text with its braces
 * @throws JsonPathSyntaxError
 */
export function parseJsonPath(text: string): readonly Step[] {
  const parser = new Parser(text);
  parser.expect('{');
  const steps = parser.path();
  parser.expect('}');
  if (parser.offset < text.length) throw parser.wrong('nothing may follow the closing brace');
  return steps;
}

class Parser {
  readonly #text: string;
  offset = 0;
  #isInFilter = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** `$.a[0]..b`; `$` and `@` are the object itself, and may be left out. */
  path(): Step[] {
    const steps: Step[] = [];
    this.#take(SPACE);
    if (this.#at('$') || this.#at('@')) this.offset++;
    for (;;) {
      if (this.#at('..')) {
        this.offset += 2;
        steps.push({ kind: 'recursive' });
        if (!this.#at('[')) steps.push(this.#field());
      } else if (this.#at('.')) {
        this.offset++;
        steps.push(this.#field());
      } else if (this.#at('[')) steps.push(this.#bracket());
      else break;
    }
    this.#take(SPACE);
    return steps;
  }

  #field(): Step {
    const name = this.#take(NAME)?.[0];
    if (name === undefined) throw this.wrong('a name is missing');
    return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll(/\\(.)/gu, '$1') };
  }

  #bracket(): Step {
    this.expect('[');
    if (this.#at('?(')) return this.#filter();
    const of: Step[] = [];
    do {
      this.#take(SPACE);
      of.push(this.#selector());
      this.#take(SPACE);
    } while (this.#skip(','));
    this.expect(']');
    return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'union', of };
  }

  #selector(): Step {
    if (this.#skip('*')) return { kind: 'wildcard' };
    const name = this.#quoted(QUOTED_NAME);
    if (name !== undefined) return { kind: 'field', name };
    const start = this.offset;
    const [all = '', from, to, by] = this.#take(SLICE) ?? [];
    if (all === '') throw this.wrong("an index, a slice, a name in quotes, '*' or a filter is missing");
    if (!all.includes(':')) return { kind: 'index', index: Number(from) };
    const step = by === undefined ? 1 : Number(by);
    if (step === 0) throw new JsonPathSyntaxError('the step of a slice is at least 1', start);
    return { kind: 'slice', start: numberOf(from), end: numberOf(to), step };
  }

  #filter(): Step {
    if (this.#isInFilter) throw this.wrong('a filter cannot contain another');
    this.expect('?(');
    this.#isInFilter = true;
    const left = this.#operand();
    const operator = OPERATORS.find((each) => this.#skip(each));
    const compare = operator === undefined ? {} : { compare: { operator, right: this.#operand() } };
    this.expect(')');
    this.expect(']');
    this.#isInFilter = false;
    return { kind: 'filter', left, ...compare };
  }

  #operand(): Operand {
    this.#take(SPACE);
    const word = this.#take(WORD)?.[0];
    const literal = word === undefined ? (this.#quoted(TEXT) ?? numberOf(this.#take(NUMBER)?.[0])) : word === 'true';
    this.#take(SPACE);
    if (literal !== undefined) return { literal };
    const start = this.offset;
    const steps = this.path();
    if (this.offset === start) throw this.wrong('a path (@.type) or a value ("Ready", 1, true) is missing');
    return { steps };
  }

  #quoted(pattern: RegExp): string | undefined {
    const found = this.#take(pattern);
    return found === undefined ? undefined : (found[1] ?? found[2] ?? '').replaceAll(/\\(.)/gu, '$1');
  }

  expect(token: string): void {
    if (!this.#skip(token)) throw this.wrong(`'${token}' is missing`);
  }

  wrong(why: string): JsonPathSyntaxError {
    return new JsonPathSyntaxError(why, this.offset);
  }

  #at(token: string): boolean {
    return this.#text.startsWith(token, this.offset);
  }

  #skip(token: string): boolean {
    if (!this.#at(token)) return false;
    this.offset += token.length;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.offset = pattern.lastIndex;
    return found;
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
