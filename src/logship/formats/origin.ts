import { defined } from '../../core/defined.ts';

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

/** Properties of a file that follow from its path. */
export interface FileKind {
  /** The format's name. */
  readonly format: string;
  /** The first directory below the log root. For files outside of the log root, the directory of the file. */
  readonly directory: string;
  readonly program: string;
  /** Whether Kolla's fluentd would add a Logger: not to the files of infrastructure. */
  readonly hasLogger: boolean;
}

/** A file, and the Pod to which it belongs. */
export interface FileOrigin extends Origin {
  readonly path: string;
  readonly kind: FileKind;
}

/**
 * Labels with `_` for dots in their names: `app` and `app.kubernetes.io/name` would be a text and an object of the same
 * name, and the server rejects documents with both.
 */
export function undotted(labels: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  if (labels === undefined) return undefined;
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name.replaceAll('.', '_'), value]));
}

/** The logger, such as `openstack.nova`; undefined outside of OpenStack. */
export function loggerOf({ directory, hasLogger }: FileKind): string | undefined {
  return hasLogger ? `openstack.${directory}` : undefined;
}

/** The object without undefined values; undefined if nothing remains. */
export function given(values: object): object | undefined {
  const rest = defined(values);
  return Object.keys(rest).length === 0 ? undefined : rest;
}
