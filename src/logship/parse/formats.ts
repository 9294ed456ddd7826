import { basename, dirname, matchesGlob, relative } from 'node:path';
import { apacheAccess } from './apache-access.ts';
import { apacheError } from './apache-error.ts';
import { embeddedTime } from './embedded-time.ts';
import { shaped, type Format } from './format.ts';
import { haproxy } from './haproxy.ts';
import { lego } from './lego.ts';
import { libvirt } from './libvirt.ts';
import { mariadb } from './mariadb.ts';
import { openvswitch } from './openvswitch.ts';
import { Oslo } from './oslo.ts';
import { rabbitmq } from './rabbitmq.ts';
import { skyline } from './skyline.ts';
import { syslog } from './syslog.ts';
import { uwsgi } from './uwsgi.ts';
import { valkey } from './valkey.ts';
import { xinetd } from './xinetd.ts';

/** Constructors of formats by their name in `--format`. */
export const FORMATS = {
  oslo: () => new Oslo(),
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
  whole,
} as const satisfies Record<string, () => Format>;
export type FormatName = keyof typeof FORMATS;

/** A rule of the user: the format for files that match a glob. */
export interface FormatRule {
  readonly glob: string;
  readonly format: FormatName;
}

/** Services whose logs Kolla collects as oslo.log. */
const SERVICES =
  'aodh barbican blazar ceilometer cinder cloudkitty cyborg designate glance heat horizon ironic keystone magnum manila ' +
  'masakari mistral neutron nova octavia placement tacker trove watcher';

interface Row {
  /** Directories, separated by spaces. Without this, any directory matches. */
  readonly directories?: string;
  readonly file: RegExp;
  readonly format: FormatName;
  /** Kolla's name for the program, if it differs from the file's name. */
  readonly program?: string;
}

/** Rules for file formats. The first matching row applies. Directories are relative to the log root. */
const ROWS: readonly Row[] = [
  { directories: 'mariadb', file: /^mariadb\.log$/, format: 'mariadb', program: 'mariadb' },
  { directories: 'mariadb', file: /^xinetd\.log$/, format: 'xinetd' },
  { directories: 'rabbitmq', file: /^rabbit/, format: 'rabbitmq', program: 'rabbitmq' },
  { directories: 'libvirt', file: /^(?:libvirtd|virt\w+d)\.log$/, format: 'libvirt', program: 'libvirt' },
  { directories: 'openvswitch', file: /^ovs-vswitchd\.log$/, format: 'openvswitch', program: 'openvswitch' },
  { directories: 'openvswitch', file: /^ovsdb-server\.log$/, format: 'openvswitch', program: 'openvswitchdb' },
  { directories: 'openvswitch', file: /^ovn-controller\.log$/, format: 'openvswitch', program: 'ovn_controller' },
  { directories: 'openvswitch', file: /^ovn-nb-db\.log$/, format: 'openvswitch', program: 'ovn_nb_db' },
  { directories: 'openvswitch', file: /^ovn-northd\.log$/, format: 'openvswitch', program: 'ovn_northd' },
  { directories: 'openvswitch', file: /^ovn-sb-db\.log$/, format: 'openvswitch', program: 'ovn_sb_db' },
  { directories: 'openvswitch', file: /^ov[ns]/, format: 'openvswitch' },
  { directories: 'letsencrypt', file: /^letsencrypt-lego\.log$/, format: 'lego', program: 'letsencrypt' },
  { directories: 'valkey', file: /^valkey(?:-sentinel)?\.log$/, format: 'valkey', program: 'valkey' },
  { directories: 'haproxy', file: /./, format: 'haproxy', program: 'haproxy' },
  { directories: 'syslog', file: /./, format: 'syslog' },
  { directories: 'skyline', file: /^(?!.*nginx)/, format: 'skyline' },
  { file: /[-_]access\.log$/, format: 'apache-access' },
  { file: /[-_]error\.log$/, format: 'apache-error' },
  { file: /-uwsgi\.log$/, format: 'uwsgi' },
  { directories: SERVICES, file: /^dnsmasq\.log$/, format: 'whole' },
  { directories: SERVICES, file: /./, format: 'oslo' },
  { file: /./, format: 'whole' },
];

/** Properties of a file that follow from its path. */
export interface FileKind {
  readonly format: FormatName;
  /** The first directory below the log root. For files outside of the log root, the directory of the file. */
  readonly directory: string;
  readonly program: string;
}

/** @param rules the user's rules, which are matched against the whole path; the last match applies */
export function kindOf(path: string, root: string, rules: readonly FormatRule[]): FileKind {
  const inRoot = relative(root, path);
  const [directory = ''] = inRoot.startsWith('..') ? [basename(dirname(path))] : inRoot.split('/');
  const file = basename(path);
  const row = ROWS.find(({ directories, file: pattern }) => hasWord(directories, directory) && pattern.test(file))!;
  const rule = rules.findLast(({ glob }) => matchesGlob(path, glob));
  return { format: rule?.format ?? row.format, directory, program: row.program ?? file.replace(/\.log$/, '') };
}

function hasWord(words: string | undefined, word: string): boolean {
  return words === undefined || words.split(' ').includes(word);
}

/** The fallback for any file. Each line is an event, unparsed except for its time. */
function whole(): Format {
  return shaped({ name: 'whole', time: embeddedTime, parse: (text) => ({ Payload: text }) });
}
