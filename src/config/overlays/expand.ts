import { didYouMean } from '../../core/nearest.ts';

/** Resolves $(NAME). `used` collects the names. */
export interface Names {
  readonly allowed: ReadonlySet<string>;
  readonly environment: NodeJS.ProcessEnv;
  readonly used: Set<string>;
}

const REFERENCE = /(?<!\$)(\$+)\(([A-Za-z_][A-Za-z0-9_]*)\)/g;

/**
 * A value of kolla-pod.yaml with each $(NAME) replaced, on one line. As in a Pod's `args`, $$ before a parenthesis is
 * an escaped dollar, so `$$(NAME)` is the text `$(NAME)`. An incomplete `$(` is rejected as a typo.
 * @throws RangeError with the names that are not allowed or not set, or why the value is not a single line
 */
export function valueIn(text: string, names: Names): string {
  const slip = /(?<!\$)(?:\$\$)*\$\((?![A-Za-z_][A-Za-z0-9_]*\))[^)\s]*\)?/.exec(text)?.[0];
  if (slip !== undefined) throw new RangeError(`'${slip}' is not $(NAME); write $$( for the text $(`);
  const value = expand(text, names);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000A-\u001F\u007F]/.test(value))
    throw new RangeError('has a line break or another control character, which an INI value cannot hold');
  return value;
}

/**
 * A file's content with each $(NAME) replaced; all else is kept byte for byte, such as a shell's `$(hostname -s)`.
 * @throws RangeError with the names that are not allowed or not set
 */
export function valuesIn(content: Buffer, names: Names): Buffer {
  // One character per byte preserves invalid UTF-8.
  const asBytes = (value: string) => Buffer.from(value, 'utf8').toString('latin1');
  return Buffer.from(expand(content.toString('latin1'), names, asBytes), 'latin1');
}

/** The names referenced in a text. */
export function namesIn(text: string): string[] {
  const found = text.matchAll(REFERENCE);
  return [...found].flatMap(([, dollars = '', name = '']) => (dollars.length % 2 === 0 ? [] : [name]));
}

function expand(text: string, names: Names, spell: (value: string) => string = (value) => value): string {
  const problems = new Set<string>();
  const expanded = text.replaceAll(REFERENCE, (_, dollars: string, name: string) => {
    const kept = '$'.repeat(dollars.length >> 1);
    if (dollars.length % 2 === 0) return `${kept}(${name})`;
    try {
      return kept + spell(lookUp(name, names));
    } catch (error) {
      problems.add((error as RangeError).message);
      return '';
    }
  });
  if (problems.size > 0) throw new RangeError([...problems].join(', '));
  return expanded;
}

function lookUp(name: string, { allowed, environment, used }: Names): string {
  if (!allowed.has(name))
    throw new RangeError(
      `$(${name}) is not allowed${didYouMean(name, allowed)}; add ${name} to overlays.allow, or write $$(${name}) for the text itself`,
    );
  const value = environment[name];
  if (value === undefined || value === '')
    throw new RangeError(`$(${name}) is ${value === '' ? 'empty' : 'not set'}; give the container an env of that name`);
  if (value.includes('\n') || value.includes('\r')) throw new RangeError(`$(${name}) has a line break`);
  used.add(name);
  return value;
}
