import { UsageError, messageOf } from '../core/errors.ts';
import { MalformedError } from './shape.ts';

type Find = (path: string, object: object) => readonly unknown[];

/** A name with dots, escaped as in kubectl: `.app\.kubernetes\.io/name`. */
const ESCAPED = /\.((?:[^.[\]\\]|\\\.)*\\\.(?:[^.[\]\\]|\\\.)*)/g;

/** Translates kubectl's JSONPath to the syntax of the library. */
function expressionIn(path: string): string {
  const inner = path.slice(1, -1).replace(ESCAPED, (_, name: string) => `['${name.replaceAll(String.raw`\.`, '.')}']`);
  return inner.startsWith('$') ? inner : `$${inner}`;
}

/** Evaluates JSONPaths with a library, loaded on first use, whose `safe` evaluation runs filters without eval. */
export async function jsonpathFinder(text: string): Promise<Find> {
  const { JSONPath } = await import('jsonpath-plus');
  return (path, object) => {
    try {
      return JSONPath<unknown[]>({ path: expressionIn(path), json: object, eval: 'safe', wrap: true });
    } catch (cause) {
      // A filter failed on an item that is null; another object may match.
      if (/: Cannot read properties of (?:null|undefined) /.test(messageOf(cause)))
        throw new MalformedError(`malformed: the filter of ${path} does not apply to every item`, { cause });
      throw new UsageError(`wait '${text}': the JSONPath ${path} can't be run: ${messageOf(cause)}`, { cause });
    }
  };
}
