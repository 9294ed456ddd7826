import { isMapping, text } from './python/values.ts';

/** For each destination the path where the image's own file is saved; null if the image has none. */
export type State = ReadonlyMap<string, string | null>;

/**
 * Reads a state written by stateText or by Kolla's own tool. For anything else, throws SyntaxError, TypeError or an
 * error with exit code 2.
 */
export function parseState(content: string): Map<string, string | null> {
  const value: unknown = JSON.parse(content);
  if (!isMapping(value)) throw new TypeError('not a mapping');
  return new Map(Object.entries(value).map(([dest, entry]) => [dest, savedIn(dest, entry)]));
}

function savedIn(dest: string, entry: unknown): string | null {
  if (!isMapping(entry)) throw new TypeError(`${dest} is not a mapping`);
  if (entry['dest'] === null) return null;
  // Kolla's own tool swaps the two paths at every second start.
  const [source, saved] = [text(entry['source'], dest), text(entry['dest'], dest)];
  return source === dest ? saved : source;
}

/**
 * The state as written by Python's json.dumps(indent=4). The format is an interface, since kolla_copy_cacerts searches
 * it.
 */
export function stateText(state: State): string {
  const rows = Array.from(state, ([dest, saved]) => {
    const name = quoted(dest);
    const kept = saved === null ? 'null' : quoted(saved);
    return `    ${name}: {
        "source": ${name},
        "preserve_properties": true,
        "dest": ${kept}
    }`;
  });
  return rows.length === 0 ? '{}' : `{\n${rows.join(',\n')}\n}`;
}

function quoted(path: string): string {
  const json = JSON.stringify(path);
  if (Buffer.byteLength(json) === json.length && json.indexOf('\u007F') === -1) return json;
  return json.replaceAll(/[\u007F-\uFFFF]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
