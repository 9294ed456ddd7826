import { defined } from '../../core/defined.ts';
import type { Fields, Format } from './format.ts';
import type { FileKind } from './formats.ts';

/** What every document of this pod carries. */
export interface Origin {
  readonly hostname: string;
  readonly pod: string | undefined;
  readonly namespace: string | undefined;
  readonly node: string | undefined;
  readonly container?: string | undefined;
  /** The pod's, in the order in which they were given. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A file, and the pod whose file it is. */
export interface FileOrigin extends Origin {
  readonly path: string;
  readonly kind: FileKind;
}

/** Directories that are not OpenStack services: Kolla gives their documents no Logger. */
const INFRASTRUCTURE = new Set([
  'haproxy',
  'letsencrypt',
  'libvirt',
  'mariadb',
  'openvswitch',
  'rabbitmq',
  'syslog',
  'valkey',
]);

/**
 * Labels with `_` for the dots in their names: a server takes `app` and `app.kubernetes.io/name` for a text and an object of
 * the same name, and refuses every document that has both.
 */
export function undotted(labels: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  if (labels === undefined) return undefined;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name.replaceAll('.', '_'), value]));
}

/** `openstack.nova`; undefined for what is not OpenStack. */
export function loggerOf({ directory }: FileKind): string | undefined {
  return INFRASTRUCTURE.has(directory) ? undefined : `openstack.${directory}`;
}

/** Without what is undefined; undefined when nothing is left. */
export function given(values: object): object | undefined {
  const rest = defined(values);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Set on a document whose event is not in its file's format: it is whole in the payload. */
export const PARSE_ERROR = 'parse_error';

interface ParsedFields {
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
