import { ReferenceTable } from './table.ts';
import type { OpenTable } from '../scanner.ts';

/** Node interprets tables in JavaScript. */
export const openTable: OpenTable = (table, layout, zone) => new ReferenceTable(table, layout, zone);

export { lineDigest as digest } from '../line-digest.ts';
