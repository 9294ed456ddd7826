/**
 * What Kibana and OpenSearch Dashboards import, as text:
 *
 *   schema -> names of fields (fields.ts) -> index pattern, searches, charts and an overview that shows them (overview.ts)
 *     -> stamped with the shape that each importer knows (object.ts) -> NDJSON, a line an object
 *
 * Asks no server. Only a schema without fields to show can fail.
 */
import { UsageError } from '../../../core/errors.ts';
import type { Schema } from '../mappings.ts';
import { FIELD_NAMES } from './fields.ts';
import { stamped, type Flavor } from './object.ts';
import { overview } from './overview.ts';

export interface SavedObjectsOptions {
  readonly schema: Schema;
  readonly indexPrefix: string;
  readonly dataStream: string | undefined;
}

/** The file's text. Throws UsageError for `--schema raw`. */
export function savedObjects(flavor: Flavor, { schema, indexPrefix, dataStream }: SavedObjectsOptions): string {
  if (schema === 'raw') throw new UsageError('--schema raw: its lines have no fields that an overview could show');
  const pattern = dataStream ?? `${indexPrefix}-*`;
  const objects = overview({ pattern, fields: FIELD_NAMES[schema], flavor });
  return objects.map((object) => `${JSON.stringify(stamped(object, flavor))}\n`).join('');
}
