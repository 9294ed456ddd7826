/**
 * What Kibana and OpenSearch Dashboards import: an index pattern, searches, charts and an overview that shows them, as
 * kibana.ndjson and dashboards.ndjson have them. Each importer has its own shape of them: OpenSearch Dashboards went its own
 * way from Kibana 7.10. Their `{{marks}}` become the pattern, the ids' prefix and the names of a schema's fields.
 *
 * Asks no server. Only a schema without fields to show can fail.
 */
import { UsageError } from '../../../core/errors.ts';
import type { Schema } from '../mappings.ts';
import { TEXTS } from './text.ts';

interface SavedObjectsOptions {
  readonly schema: Schema;
  readonly indexPrefix: string;
  readonly dataStream: string | undefined;
}

/** Where a schema keeps what the overview counts (the first five) and shows of each line. */
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

/** The file's text. Throws UsageError for `--schema raw`. */
export function savedObjects(
  flavor: keyof typeof TEXTS,
  { schema, indexPrefix, dataStream }: SavedObjectsOptions,
): string {
  if (schema === 'raw') throw new UsageError('--schema raw: its lines have no fields that an overview could show');
  const pattern = dataStream ?? `${indexPrefix}-*`;
  const prefix = `kolla-log-ship-${pattern.replaceAll(/[^\w.-]+/g, '')}`.replace(/-$/, '');
  const values: Readonly<Record<string, string>> = { ...FIELD_NAMES[schema], prefix, pattern };
  // The pattern alone could hold what JSON escapes.
  return TEXTS[flavor].replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) =>
    JSON.stringify(values[name] ?? mark).slice(1, -1),
  );
}
