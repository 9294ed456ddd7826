import { errorFromStatus } from './api-error.ts';
import type { KubeObject } from './types.ts';

export interface WatchEvent<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** The events of a watch up to the first line that is none, and why that ends the connection. */
export interface Read<T extends KubeObject> {
  readonly events: readonly WatchEvent<T>[];
  /** ApiError for an ERROR event, which holds a Status; Error for what no API server sends. Undefined: all are events. */
  readonly error: Error | undefined;
}

const TYPES: readonly unknown[] = [
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
] satisfies WatchEvent<KubeObject>['type'][];

/** Takes what came on a watch for events. @param values what the lines hold, of any shape */
export function readEvents<T extends KubeObject>(values: readonly unknown[]): Read<T> {
  const end = values.findIndex((value) => !isEvent(value));
  if (end === -1) return { events: values as WatchEvent<T>[], error: undefined };
  return { events: values.slice(0, end) as WatchEvent<T>[], error: errorOf(values[end]) };
}

function isEvent(value: unknown): boolean {
  return (
    isRecord(value) &&
    TYPES.includes(value['type']) &&
    isRecord(value['object']) &&
    isRecord(value['object']['metadata'])
  );
}

function errorOf(value: unknown): Error {
  if (isRecord(value) && value['type'] === 'ERROR') return errorFromStatus(value['object']);
  return new Error(`${nameOf(value)} came where an event of a watch was due`);
}

/** Never by its content, which may be a Secret's. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (!isRecord(value)) return `a ${typeof value}`;
  return TYPES.includes(value['type'])
    ? `an event ${String(value['type'])} without an object`
    : 'an object that is no event';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
