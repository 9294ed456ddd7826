import { UsageError } from '../../core/errors.ts';

/** A text that is being read: messages name it whole, and a column of it. */
export interface Source {
  readonly text: string;
  /** What messages call it; default the text itself. */
  readonly called?: string;
}

/** A part of the text, and the column (from 1) where it begins. */
export interface Part {
  readonly value: string;
  readonly column: number;
}

/** What is wrong at a column of the text. */
export function wrong({ text, called }: Source, column: number, why: string, cause?: unknown): UsageError {
  return new UsageError(`${called ?? `wait '${shown(text)}'`}, column ${column}: ${why}`, { cause });
}

/** Without what stands before an @ in a URL: a password may, and an error is read by others. */
function shown(text: string): string {
  return text.replace(/^([^:@]*:\/*)[^]*@/, '$1...@');
}
