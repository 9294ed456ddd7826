import type { SchemaName } from '../../src/logship/formats/schema.ts';
import { FileFormat } from '../../src/logship/formats/parser.ts';
import type { FormatRule } from '../../src/logship/formats/index.ts';
import { zoneTableNamed } from '../../src/logship/time/zone-table.ts';

const ORIGIN = { hostname: 'c1', pod: undefined, namespace: undefined, node: undefined };
const ROOM_BYTES = 1024 * 1024;

interface OneDocument {
  readonly fields: Readonly<Record<string, unknown>>;
  /** NaN if the line has no time. */
  readonly timeMs: number;
}

/** The document of an event, as the format of a file makes it. Times without a year are near `nearMs`. */
export function oneDocument(
  path: string,
  text: string,
  options: { schema?: SchemaName; formats?: readonly FormatRule[]; nearMs?: number } = {},
): OneDocument {
  const { nearMs = 0, ...rest } = options;
  using format = new FileFormat(path, { root: '/logs', origin: ORIGIN, zone: zoneTableNamed('UTC'), ...rest });
  const { table } = format;
  const [line = ''] = text.split('\n');
  const { timeMs } = table.place(Buffer.from(line), NaN, nearMs, undefined);
  const isDated = !Number.isNaN(timeMs);
  const into = Buffer.alloc(ROOM_BYTES);
  const end = table.document(into, 0, Buffer.from(text), isDated ? timeMs : nearMs, isDated);
  return { fields: JSON.parse(into.toString('utf8', 0, end)) as Record<string, unknown>, timeMs };
}
