import { isDeepStrictEqual } from 'node:util';

/** Whether all of these fields have these values. Other managers may have set others. */
export function contains(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(actual, wanted);
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(wanted).every(([key, value]) => contains((actual as Record<string, unknown>)[key], value));
}
