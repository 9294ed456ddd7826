import type { Fields, Format } from './format.ts';

/** Set on a document whose event is not in its file's format: it is whole in the payload. */
export const PARSE_ERROR = 'parse_error';

export interface ParsedFields {
  readonly fields: Fields;
  readonly isUnreadable: boolean;
}

/** An event's fields under Kolla's names. What is not in the format, or has a time that can't be, stays whole. */
export function fieldsOf(
  format: Format,
  { text, isDated }: { readonly text: string; readonly isDated: boolean },
): ParsedFields {
  const fields = format.parse(text);
  const hasWrongTime = !isDated && (fields?.['Timestamp'] ?? fields?.['timestamp']) !== undefined;
  if (fields === undefined || hasWrongTime) return { fields: { Payload: text }, isUnreadable: true };
  return { fields, isUnreadable: false };
}
