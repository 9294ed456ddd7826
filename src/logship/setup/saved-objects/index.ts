/**
 * Objects to import into Kibana and OpenSearch Dashboards: an index pattern, searches, charts and an overview, from
 * kibana.ndjson and dashboards.ndjson. Their formats differ: OpenSearch Dashboards forked from Kibana 7.10. `{{marks}}`
 * are replaced by the pattern, the prefix of ids and the schema's field names.
 * Contacts no server. Fails only for a schema without fields to show.
 */
import { UsageError } from '../../../core/errors.ts';
import type { Schema } from '../mappings/mappings.ts';
import { TEXTS } from './text.ts';

interface SavedObjectsOptions {
  readonly schema: Schema;
  readonly indexPrefix: string;
  readonly dataStream: string | undefined;
}

/** The fields of the schema for the overview's charts (the first five) and its table. */
const FIELD_NAMES: Readonly<Record<'kolla' | 'ecs', Readonly<Record<string, string>>>> = {
  kolla: {
    level: 'log_level.keyword',
    service: 'programname.keyword',
    host: 'Hostname.keyword',
    request: 'request_id.keyword',
    wholeMessage: 'Payload.keyword',
    levelColumn: 'log_level',
    serviceColumn: 'programname',
    hostColumn: 'Hostname',
    requestColumn: 'request_id',
    loggerColumn: 'python_module',
    message: 'Payload',
  },
  ecs: {
    level: 'log.level',
    service: 'service.name',
    host: 'host.name',
    request: 'http.request.id',
    wholeMessage: 'message.keyword',
    levelColumn: 'log.level',
    serviceColumn: 'service.name',
    hostColumn: 'host.name',
    requestColumn: 'http.request.id',
    loggerColumn: 'log.logger',
    message: 'message',
  },
};

/** The text of the file. Throws UsageError for `--schema raw`. */
export function savedObjects(
  flavor: keyof typeof TEXTS,
  { schema, indexPrefix, dataStream }: SavedObjectsOptions,
): string {
  if (schema === 'raw') throw new UsageError('--schema raw: its lines have no fields that an overview could show');
  const pattern = dataStream ?? `${indexPrefix}-*`;
  const prefix = `kolla-log-ship-${pattern.replaceAll(/[^\w.-]+/g, '')}`.replace(/-$/, '');
  const values: Readonly<Record<string, string>> = { ...FIELD_NAMES[schema], prefix, pattern };
  // Only the pattern may contain characters that JSON escapes.
  return TEXTS[flavor].replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) =>
    JSON.stringify(values[name] ?? mark).slice(1, -1),
  );
}
