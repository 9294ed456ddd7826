import { basename, dirname, relative } from 'node:path';
import type { ServiceName } from '../../catalog/index.ts';
import { matchesGlob } from '../../fs/glob.ts';
import { apacheAccess } from './apache-access.ts';
import { apacheError } from './apache-error.ts';
import type { Table } from '../tables/items.ts';
import type { FormatKind } from './format.ts';
import { haproxy } from './haproxy.ts';
import { jsonLines } from './json.ts';
import { lego } from './lego.ts';
import { libvirt } from './libvirt.ts';
import { mariadb } from './mariadb.ts';
import { openvswitch } from './openvswitch.ts';
import type { FileKind } from './origin.ts';
import { oslo } from './oslo.ts';
import { rabbitmq } from './rabbitmq.ts';
import { skyline } from './skyline.ts';
import { syslog } from './syslog.ts';
import { uwsgi } from './uwsgi.ts';
import { valkey } from './valkey.ts';
import { whole } from './whole.ts';
import { xinetd } from './xinetd.ts';

/** Formats by their name in `--format`. */
export const FORMATS = {
  oslo,
  uwsgi,
  'apache-access': apacheAccess,
  'apache-error': apacheError,
  mariadb,
  xinetd,
  rabbitmq,
  libvirt,
  openvswitch,
  lego,
  valkey,
  haproxy,
  skyline,
  syslog,
  json: jsonLines,
  whole,
} as const satisfies Readonly<Record<string, FormatKind>>;
export type FormatName = keyof typeof FORMATS;

/** A format that a site describes: see own.ts. */
export interface OwnFormat {
  readonly name: string;
  readonly table: Table;
  /** The program's name in documents, if it is not the file's name. */
  readonly program?: string | undefined;
}

/** A rule of the user: the format for files that match a glob. */
export interface FormatRule {
  readonly glob: string;
  readonly format: FormatName | OwnFormat;
}

/**
 * The format of a service's files that no rule of a format names. Only names: the catalogue itself would add its size to
 * each start.
 */
const SERVICES = {
  aodh: 'oslo',
  barbican: 'oslo',
  blazar: 'oslo',
  ceilometer: 'oslo',
  cinder: 'oslo',
  cloudkitty: 'oslo',
  cyborg: 'oslo',
  designate: 'oslo',
  glance: 'oslo',
  // Kolla does not collect its logs.
  gnocchi: 'whole',
  heat: 'oslo',
  horizon: 'oslo',
  ironic: 'oslo',
  keystone: 'oslo',
  magnum: 'oslo',
  manila: 'oslo',
  masakari: 'oslo',
  mistral: 'oslo',
  neutron: 'oslo',
  nova: 'oslo',
  // It logs to nova's directory.
  'nova-cell': 'whole',
  octavia: 'oslo',
  placement: 'oslo',
  // Of nginx.
  skyline: 'whole',
  tacker: 'oslo',
  trove: 'oslo',
  watcher: 'oslo',
} as const satisfies Readonly<Record<ServiceName, FormatName>>;

/** The rules of all formats, those with a directory first. */
const RULES = (Object.entries(FORMATS) as [FormatName, FormatKind][])
  .flatMap(([format, { files }]) => files.map((rule) => ({ format, ...rule })))
  .toSorted((a, b) => Number(a.directory === undefined) - Number(b.directory === undefined));

/** The table of a format. */
export function tableOf(format: FormatName | OwnFormat): Table {
  return typeof format === 'string' ? FORMATS[format].table : format.table;
}

/**
 * The format of a file and what else follows from its path.
 * @param rules the user's rules, which are matched against the whole path; the last match applies
 */
export function formatOf(
  path: string,
  root: string,
  rules: readonly FormatRule[],
): { readonly kind: FileKind; readonly format: FormatName | OwnFormat } {
  // Of a file in the root, as of thousands, without taking both paths apart.
  const inRoot = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : relative(root, path);
  const [directory = ''] = inRoot.startsWith('..') ? [basename(dirname(path))] : inRoot.split('/');
  const file = basename(path);
  const isAt = (at: string | undefined) => at === undefined || at === directory;
  const row = RULES.find((one) => isAt(one.directory) && one.file.test(file));
  const chosen = rules.findLast(({ glob }) => matchesGlob(path, glob));
  const service = Object.hasOwn(SERVICES, directory) ? SERVICES[directory as ServiceName] : undefined;
  const format = chosen?.format ?? row?.format ?? service ?? 'whole';
  const own = typeof format === 'string' ? undefined : format;
  return {
    format,
    kind: {
      format: own?.name ?? (format as FormatName),
      directory,
      program: own?.program ?? row?.program ?? file.replace(/\.log$/, ''),
      hasLogger: service !== undefined || RULES.every((one) => one.directory !== directory),
    },
  };
}

/** Properties of a file that follow from its path. See formatOf. */
export function kindOf(path: string, root: string, rules: readonly FormatRule[]): FileKind {
  return formatOf(path, root, rules).kind;
}
