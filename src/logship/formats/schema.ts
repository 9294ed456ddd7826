import { capturesOf, restOf } from '../tables/captures.ts';
import type { Field, Table } from '../tables/items.ts';
import { RowKind, type Layout, type Row } from '../tables/layout.ts';
import { ecsField, ecsMembers } from './ecs.ts';
import { kollaMembers } from './kolla.ts';
import type { FileOrigin } from './origin.ts';

/** Set on a document whose event does not match the format of its file. The payload is then the whole event. */
export const PARSE_ERROR = 'parse_error';

export type SchemaName = 'kolla' | 'ecs' | 'raw';

/** The layout of a file's documents. */
export function layoutOf(schema: SchemaName, table: Table, origin: FileOrigin): Layout {
  if (schema === 'raw') return rawLayout(origin);
  return schema === 'ecs' ? ecsLayout(table, origin) : kollaLayout(table, origin);
}

/** Each line becomes a document that is unparsed except for its timestamp. */
function rawLayout({ path }: FileOrigin): Layout {
  const tail = `,"log.file.path":${JSON.stringify(path)}}`;
  return { isRaw: true, rows: [], before: ',"message":"', after: '"', tail };
}

function kollaLayout(table: Table, origin: FileOrigin): Layout {
  const name = ({ kolla, field }: Named) => (field.only === undefined ? kolla : undefined);
  const { rows, tail } = membersOf(table, kollaMembers(origin), name, (member, row) =>
    member.field.only === undefined ? row(member.kolla) : [],
  );
  return { isRaw: false, rows, before: ',"Payload":"', after: `","${PARSE_ERROR}":true`, tail };
}

function ecsLayout(table: Table, origin: FileOrigin): Layout {
  const name = ({ kolla, field }: Named) => ecsField(kolla, field)?.name;
  const { rows, tail } = membersOf(table, ecsMembers(origin), name, (member, row) => {
    const ecs = ecsField(member.kolla, member.field);
    if (ecs === undefined) return [];
    const { prefix, shift } = ecs;
    if (prefix !== undefined) return [{ ...row(ecs.name)[0]!, kind: RowKind.withoutPrefix, prefix }];
    if (shift !== undefined)
      return [{ ...row(ecs.name)[0]!, kind: RowKind.shifted, shift: shift + (member.field.shift ?? 0) }];
    return row(ecs.name, ecs.isNumber, table.trace !== undefined);
  });
  if (table.trace !== undefined) rows.push({ kind: RowKind.trace, capture: undefined, key: ',"error.stack_trace":' });
  return { isRaw: false, rows, before: ',"message":"', after: `","tags":["${PARSE_ERROR}"]`, tail };
}

/** A capture with its field. */
interface Named {
  readonly capture: string;
  /** The field's name in Kolla's schema. */
  readonly kolla: string;
  readonly field: Field;
}

type RowsOf = (name: string, isNumber?: boolean, hasTrace?: boolean) => Row[];

/**
 * The rows of a table's captures, and the end of documents. A member of the file that the line may name, such as the host, becomes a row,
 * since the line takes precedence.
 */
function membersOf(
  table: Table,
  file: Readonly<Record<string, unknown>>,
  nameOf: (member: Named) => string | undefined,
  rowsOf: (member: Named, row: RowsOf) => Row[],
): { readonly rows: Row[]; readonly tail: string } {
  const rest = restOf(table);
  const constant = { ...file };
  const rows: Row[] = [];
  for (const member of namedOf(table)) {
    const name = nameOf(member);
    const fallback = name === undefined ? undefined : file[name];
    if (name !== undefined && fallback !== undefined) {
      const key = `,${JSON.stringify(name)}:`;
      const row = { kind: RowKind.textOrDefault, capture: member.capture, key, fallback: JSON.stringify(fallback) };
      // Each such row is in all documents, so only the first capture of that name counts.
      if (Object.hasOwn(constant, name)) rows.push(row);
      delete constant[name];
      continue;
    }
    rows.push(...rowsOf(member, (as, isNumber, hasTrace) => plainRows(member, as, rest, isNumber, hasTrace)));
  }
  const members = JSON.stringify(constant).slice(1);
  // A line may name all that is known of its file.
  return { rows, tail: members === '}' ? members : `,${members}` };
}

function namedOf(table: Table): readonly Named[] {
  return [...new Set([...capturesOf(table), ...Object.keys(table.fields ?? {})])].flatMap((capture) => {
    const field = table.fields?.[capture];
    if (capture.startsWith('_') && field === undefined) return [];
    return [{ capture, kolla: field?.name ?? capture, field: field ?? {} }];
  });
}

/** @param isNumber whether the schema wants a number whatever the table says */
function plainRows(
  { capture, field }: Named,
  name: string,
  rest: string | undefined,
  isNumber = field.kind === 'number',
  hasTrace = false,
): Row[] {
  const key = `,${JSON.stringify(name)}:`;
  if (field.parts !== undefined)
    return field.parts.map(([before, part], at, { length }) => ({
      kind: RowKind.part,
      capture: part,
      key: `${at === 0 ? `${key}"` : ''}${before}`,
      shift: at === length - 1 ? 1 : 0,
    }));
  if (capture === rest) return [{ kind: hasTrace ? RowKind.restOrLine : RowKind.rest, capture, key }];
  if (field.shift !== undefined) return [{ kind: RowKind.shifted, capture, key, shift: field.shift }];
  if (isNumber || field.kind === 'number') return [{ kind: RowKind.number, capture, key }];
  const kinds = { json: RowKind.jsonText, value: RowKind.jsonValue } as const;
  return [{ kind: field.kind === undefined ? RowKind.text : kinds[field.kind], capture, key }];
}
