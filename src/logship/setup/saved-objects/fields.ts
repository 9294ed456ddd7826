/** Where a schema keeps what the overview shows. */
export interface FieldNames {
  readonly level: string;
  readonly service: string;
  readonly host: string;
  /** Searched for its words. */
  readonly message: string;
  /** Counted as a whole. */
  readonly wholeMessage: string;
  readonly request: string;
  /** What a search shows of each line beside its time. */
  readonly columns: readonly string[];
  /** Lines that say that something went wrong, in the words of every format that we read. */
  readonly errors: string;
}

const ERROR_LEVELS = [
  'ERROR',
  'CRITICAL',
  'FATAL',
  'error',
  'critical',
  'fatal',
  'crit',
  'alert',
  'emerg',
  'ERR',
  'EMER',
];

function errorsIn(field: string): string {
  return `${field}: (${ERROR_LEVELS.join(' or ')})`;
}

export const FIELD_NAMES: Readonly<Record<'kolla' | 'ecs', FieldNames>> = {
  kolla: {
    level: 'log_level.keyword',
    service: 'programname.keyword',
    host: 'Hostname.keyword',
    message: 'Payload',
    wholeMessage: 'Payload.keyword',
    request: 'request_id.keyword',
    columns: ['Hostname', 'programname', 'log_level', 'python_module', 'request_id', 'Payload'],
    errors: errorsIn('log_level.keyword'),
  },
  ecs: {
    level: 'log.level',
    service: 'service.name',
    host: 'host.name',
    message: 'message',
    wholeMessage: 'message.keyword',
    request: 'http.request.id',
    columns: ['host.name', 'service.name', 'log.level', 'log.logger', 'http.request.id', 'message'],
    errors: errorsIn('log.level'),
  },
};
