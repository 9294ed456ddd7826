import { defined } from '../../core/defined.ts';
import type { Fields, Format } from './format.ts';
import type { FileKind } from './formats.ts';

/** Metadata that every document of this Pod contains. */
export interface Origin {
  readonly hostname: string;
  readonly pod: string | undefined;
  readonly namespace: string | undefined;
  readonly node: string | undefined;
  readonly container?: string | undefined;
  /** The Pod's labels in their original order. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A file, and the Pod to which it belongs. */
export interface FileOrigin extends Origin {
  readonly path: string;
  readonly kind: FileKind;
}

/** Directories of services outside OpenStack: Kolla adds no Logger to their documents. */
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
 * Labels with `_` for dots in their names: `app` and `app.kubernetes.io/name` would be a text and an object of the same
 * name, and the server rejects documents with both.
 */
export function undotted(labels: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  if (labels === undefined) return undefined;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name.replaceAll('.', '_'), value]));
}

/** The logger, such as `openstack.nova`; undefined outside of OpenStack. */
export function loggerOf({ directory }: FileKind): string | undefined {
  return INFRASTRUCTURE.has(directory) ? undefined : `openstack.${directory}`;
}

/** The object without undefined values; undefined if nothing remains. */
export function given(values: object): object | undefined {
  const rest = defined(values);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Set on a document whose event does not match the format of its file. The payload is then the whole event. */
export const PARSE_ERROR = 'parse_error';

interface ParsedFields {
  readonly fields: Fields;
  readonly isUnreadable: boolean;
}

/**
 * An event's fields under Kolla's names. An event that does not match the format, or has an impossible time, stays
 * whole.
 */
export function fieldsOf(
  format: Format,
  { text, isDated }: { readonly text: string; readonly isDated: boolean },
): ParsedFields {
  const fields = format.parse(text);
  const hasWrongTime = !isDated && (fields?.['Timestamp'] ?? fields?.['timestamp']) !== undefined;
  if (fields === undefined || hasWrongTime) return { fields: { Payload: text }, isUnreadable: true };
  return { fields, isUnreadable: false };
}
