import { normalize } from 'node:path/posix';
import { CONFIG, type Case, type Run } from '../play.ts';
import type { Files, Node } from '../tree.ts';
import { documentOf, type Document } from './document.ts';
import { randomOf, type Random } from './random.ts';
import { yamlOf } from './yaml.ts';

/** The case with that number: files, a configuration, and two to four starts with changes in between. */
export function generateCase(seed: number, number: number): Case {
  const random = randomOf(seed, number);
  const files = filesOf(random);
  const sources = Object.keys(files).flatMap((path) =>
    path.startsWith(`${CONFIG}/`) && !path.endsWith('nowhere') ? [`/${path}`] : [],
  );
  const document = documentOf(random, sources);
  const runs = runsOf(random, files, () => documentOf(random, sources), document);
  const start = { name: `seed ${seed}, case ${number}`, files, runs };
  // Starts replace config.json. A configuration in YAML stays the same for all of them.
  if (random.chance(0.15) && runs.every((run) => !('config' in run)))
    return { ...start, yaml: yamlOf(random, document) };
  return { ...start, config: document };
}

const MODES = [0o644, 0o644, 0o600, 0o640, 0o660, 0o755, 0o700, 0o444, 0o4755, 0o2755, 0o6750];
const DIRECTORY_MODES = [0o755, 0o755, 0o750, 0o700, 0o2775, 0o1777];
const UIDS = [0, 0, 42_425, 42_436, 42_400, 65_534];

/** Content that the source and the image may have: a string is a file, `->` a link, null a directory. */
const SOURCES: Readonly<Record<string, string | null>> = {
  'a.conf': 'a',
  'b.conf': 'bb',
  'c.ini': 'c',
  '.hidden': 'h',
  empty: '',
  'ü .conf': 'u',
  d: null,
  'd/one.conf': '1',
  'd/.h': 'dh',
  'd/sub': null,
  'd/sub/two.conf': '2',
  'd/bare': null,
  e: 'e',
  'e2/x': 'e2x',
  link: '->a.conf',
  directorylink: '->d',
  nowhere: '->/none',
  'd/link': '->one.conf',
  'd/up': '->../a.conf',
  'd/in': '->sub',
};
const IMAGE: Readonly<Record<string, string | null>> = {
  'etc/svc': null,
  'etc/svc/a.conf': 'image a',
  'etc/svc/own.conf': 'own',
  'etc/svc/sub/deep': 'deep',
  'etc/d': null,
  'etc/d/one.conf': 'image one',
  'etc/d/theirs': 'theirs',
  'etc/d/sub/two.conf': 'image two',
  'etc/e': 'image e',
  'etc/l': '->svc',
  'etc/f': '->e',
  'etc/dangling': '->/none',
  'etc/svc/l': '->own.conf',
  'var/lib/svc': null,
  'var/lib/svc/data': 'data',
  'var/log/svc': null,
  'var/log/svc/a.log': 'log',
  'var/log/svc/sub/b.log': 'log b',
  'var/log/svc/out': '->/etc/e',
  'var/log/svc/in': '->sub/b.log',
  run_command: 'old command',
};

function filesOf(random: Random): Files {
  const files: Record<string, Node> = {};
  const density = random.pick([0.3, 0.6, 0.9]);
  for (const path of random.some(Object.keys(SOURCES), density))
    place(random, files, `${CONFIG}/${path}`, SOURCES[path]!);
  for (const path of random.some(Object.keys(IMAGE), random.pick([0, 0.2, 0.6])))
    // If the image has links, the two tools soon differ.
    if (!IMAGE[path]?.startsWith('->') || random.chance(0.3)) place(random, files, path, IMAGE[path] ?? null);
  return files;
}

function place(random: Random, files: Record<string, Node>, path: string, what: string | null): void {
  if (above(path).some((one) => one in files && !isDirectory(files[one]!))) return;
  if (what?.startsWith('->')) {
    // A broken link as a source makes most starts fail.
    if (path.startsWith(CONFIG) && !(normalize(`${path}/../${what.slice(2)}`) in files) && !random.chance(0.1)) return;
    files[path] = { link: what.slice(2) };
    return;
  }
  const plain = random.chance(0.5);
  const owner = plain ? 0 : random.pick(UIDS);
  if (what === null) files[path] = { directory: true, mode: plain ? 0o755 : random.pick(DIRECTORY_MODES), owner };
  else files[path] = plain ? what : { text: what, mode: random.pick(MODES), owner };
}

function isDirectory(node: Node): boolean {
  return typeof node === 'object' && node.directory === true;
}

/** All parent directories of a path. */
function above(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Changes that may happen between starts. */
const TOUCHED = [
  'etc/svc/a.conf',
  'etc/svc/b.conf',
  'etc/d/one.conf',
  'etc/d/written',
  'etc/svc/written',
  'var/log/svc/new.log',
  'etc/new/deep/x.conf',
  `${CONFIG}/a.conf`,
  `${CONFIG}/d/one.conf`,
  `${CONFIG}/d/more.conf`,
];

function runsOf(random: Random, files: Files, another: () => Document, document: Document): Run[] {
  const strategy = random.chance(0.1)
    ? random.pick(['COPY_ONCE', 'COPY_ONCE', 'COPY_ONCE', undefined, 'copy_always'])
    : 'COPY_ALWAYS';
  const first: Run = { strategy };
  if (random.chance(0.1)) return [first, { argv: ['--check'] }];
  const second: Run = {
    strategy,
    ...(random.chance(0.5) ? { meanwhile: meanwhile(random, files) } : {}),
    ...(random.chance(0.5) ? { config: changed(random, document, another()) } : {}),
  };
  const check: Run = { argv: ['--check'], ...(random.chance(0.3) ? { meanwhile: meanwhile(random, files) } : {}) };
  const early = random.chance(0.3) ? [{ argv: ['--check'] }] : [];
  return [first, ...early, second, check];
}

function meanwhile(random: Random, files: Files): Record<string, string | null> {
  const blocked = (path: string) => above(path).some((one) => one in files && !isDirectory(files[one]!));
  const touched = random.some(TOUCHED, 0.3).filter((path) => !blocked(path));
  return Object.fromEntries(touched.map((path) => [path, random.chance(0.8) ? `changed ${random.int(3)}` : null]));
}

function changed(random: Random, document: Document, other: Document): Document {
  const entries = (document.config_files ?? []).filter(() => random.chance(0.7));
  const more = random.chance(0.4) ? (other.config_files ?? []).slice(0, 1) : [];
  return { ...document, command: random.pick([document.command, other.command]), config_files: [...entries, ...more] };
}
