import { errorFromStatus } from './api-error.ts';
import type { KubeObject } from './types.ts';
import { isMapping } from '../core/mapping.ts';

export interface WatchEvent<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** The events of a watch up to the first invalid line, and why that line ends the connection. */
interface Read<T extends KubeObject> {
  readonly events: readonly WatchEvent<T>[];
  /**
   * ApiError for an ERROR event, which contains a Status; Error for a line that no API server sends. Undefined if all
   * lines are events.
   */
  readonly error: Error | undefined;
}

const TYPES: readonly unknown[] = [
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
] satisfies WatchEvent<KubeObject>['type'][];

/**
 * Validates lines of a watch as events.
 * @param values the parsed lines, not yet validated
 */
export function readEvents<T extends KubeObject>(values: readonly unknown[]): Read<T> {
  const end = values.findIndex((value) => !isEvent(value));
  if (end === -1) return { events: values as WatchEvent<T>[], error: undefined };
  return { events: values.slice(0, end) as WatchEvent<T>[], error: errorOf(values[end]) };
}

function isEvent(value: unknown): boolean {
  return (
    isMapping(value) &&
    TYPES.includes(value['type']) &&
    isMapping(value['object']) &&
    isMapping(value['object']['metadata'])
  );
}

function errorOf(value: unknown): Error {
  if (isMapping(value) && value['type'] === 'ERROR') return errorFromStatus(value['object']);
  return new Error(`${nameOf(value)} received instead of a watch event`);
}

/** The message never shows the content, which may be that of a Secret. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (!isMapping(value)) return `a ${typeof value}`;
  return TYPES.includes(value['type'])
    ? `an event ${String(value['type'])} without an object`
    : 'an object that is not an event';
}

/** Maximum length of a line. etcd limits an object to 1.5 MiB, so a longer line is not an event. */
const LINE_MAX_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;

/**
 * One value per line, for any chunks: split within a character or line, or many lines in one. Values of one chunk are
 * returned together, so that a consumer handles them once.
 * @param heard called for each chunk, which proves that the peer is alive
 * @throws Error for a line that is not JSON or never ends
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, heard: () => void): AsyncGenerator<unknown[]> {
  // In pieces, because a line that grows as one buffer would be copied with each of them.
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    heard();
    const values: unknown[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      if (line.trim() !== '') values.push(parse(line));
      begun = [];
      length = 0;
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
    length += chunk.length - from;
    if (values.length > 0) yield values;
    if (length > LINE_MAX_BYTES) throw new Error(`a line of more than ${LINE_MAX_BYTES} bytes`);
  }
  // A broken connection leaves half an event, which is sent again after the reconnect.
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error('an event that is not JSON', { cause });
  }
}
