import type { FileFormat } from '../../../src/logship/formats/parser.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const into = Buffer.alloc(MAX_BYTES);

/** The document of an event. @param timeMs its time */
export function documentOf({ table }: FileFormat, text: string | Buffer, timeMs: number): unknown {
  const end = table.document(into, 0, Buffer.from(text), timeMs, true);
  return JSON.parse(into.toString('utf8', 0, end));
}
