const MIB = 2 ** 20;
/** Longest document. Kubernetes has no larger objects. */
const TEXT_MAX = 2 * MIB;
/** Each costs a parser 200 bytes and a microsecond, however short it is. */
const VALUES_MAX = 300_000;
/** Size with all aliases replaced, as it is when values are merged, printed or sent. Above what a text without aliases has. */
const EXPANDED_MAX = 4 * MIB;
const LEVELS_MAX = 100;

/** What one document may cost. Sizes are in characters. */
export interface YamlBudget {
  readonly textMax: number;
  readonly valuesMax: number;
  readonly expandedMax: number;
}

/** Of every document that is not part of this program. */
export const YAML_BUDGET: YamlBudget = {
  textMax: TEXT_MAX,
  valuesMax: VALUES_MAX,
  expandedMax: EXPANDED_MAX,
};

/**
 * Parses one YAML document that may come from anyone: a few aliases of aliases stand for billions of values.
 * @param parse the parser, whose result shares the values of aliases
 * @throws RangeError without any content of the document, if it is too large; what `parse` throws
 */
export function parseYaml<T>(text: string, parse: (text: string) => T, budget: YamlBudget = YAML_BUDGET): T {
  if (text.length > budget.textMax) throw new RangeError(`longer than ${sizeText(budget.textMax)}`);
  if (separatorsIn(text) > budget.valuesMax) throw new RangeError(`more than ${budget.valuesMax} values`);
  const value = parse(text);
  expandedSize(value, budget.expandedMax);
  return value;
}

/** Estimates the number of values, by what separates them; at least half of it. What a text within the YAML has counts, too. */
export function separatorsIn(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isSeparator(code) || (isMark(code) && text.charCodeAt(i + 1) <= SPACE)) count++;
  }
  return count;
}

const SPACE = 32;

/** One of `,[{` and the end of a line. */
function isSeparator(code: number): boolean {
  return code === 10 || code === 44 || code === 91 || code === 123;
}

/** One of `:-?`, which separate values only before a space. */
function isMark(code: number): boolean {
  return code === 58 || code === 45 || code === 63;
}

/**
 * Characters of a value in which each use of an alias counts.
 * @throws RangeError if that is more than `max`, or endless
 */
export function expandedSize(value: unknown, max: number): number {
  /** Each container is visited once. Undefined while it is being visited. */
  const known = new Map<object, { readonly size: number; readonly levels: number } | undefined>();
  const measure = (item: unknown, level: number): { readonly size: number; readonly levels: number } => {
    if (typeof item !== 'object' || item === null)
      return { size: 1 + (typeof item === 'string' ? item.length : 0), levels: 0 };
    if (known.has(item)) {
      const found = known.get(item);
      if (found === undefined) throw new RangeError('an alias within its own anchor');
      if (level + found.levels > LEVELS_MAX) throw tooDeep();
      return found;
    }
    if (level > LEVELS_MAX) throw tooDeep();
    known.set(item, undefined);
    let [size, levels] = [1, 0];
    for (const [key, child] of entriesOf(item)) {
      const one = measure(child, level + 1);
      size += key + one.size;
      levels = Math.max(levels, one.levels + 1);
      if (size > max) throw new RangeError(`more than ${sizeText(max)} with its aliases expanded`);
    }
    const found = { size, levels };
    known.set(item, found);
    return found;
  };
  return measure(value, 0).size;
}

function tooDeep(): RangeError {
  return new RangeError(`more than ${LEVELS_MAX} levels`);
}

/** Each child, with the length of its key. */
function* entriesOf(item: object): Generator<readonly [key: number, child: unknown]> {
  if (Array.isArray(item) || item instanceof Set) for (const child of item) yield [0, child];
  else for (const [key, child] of Object.entries(item)) yield [key.length, child];
}

function sizeText(characters: number): string {
  return characters >= MIB ? `${characters / MIB} MiB` : `${characters} characters`;
}
