import { isMapping } from '../../core/mapping.ts';

/** Whether a server's response is a list of objects. */
export function isListOfObjects(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isMapping);
}
