import {
  chmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
  lutimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** An entry of the tree before the first start: text, a link or a directory, optionally with owner and mode. */
export type Node =
  | string
  | {
      readonly text?: string;
      readonly link?: string;
      /** A hard link to an earlier file. */
      readonly nameOf?: string;
      readonly directory?: true;
      readonly mode?: number;
      readonly owner?: number;
      readonly time?: number;
    };
export type Files = Readonly<Record<string, Node>>;

/** A time long before any test. */
const OLD_S = 1_000_000_000;

const ACCOUNTS: Files = {
  'etc/passwd':
    'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\nkolla:x:42400:42400::/:/bin/sh\n' +
    'keystone:x:42425:42425::/:/bin/sh\nnova:x:42436:42436::/:/bin/sh\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\nkolla:x:42400:nova\nkeystone:x:42425:\nnova:x:42436:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\n',
};

/** Fills an empty directory with the files of Kolla's image and of the case, all with one old timestamp. */
export function plant(root: string, files: Files): void {
  const made: [string, number][] = [];
  for (const [path, node] of Object.entries({ ...ACCOUNTS, ...files })) {
    const place = join(root, path);
    const {
      text,
      link,
      nameOf,
      directory,
      mode,
      owner = 0,
      time = OLD_S,
    }: Exclude<Node, string> = typeof node === 'string' ? { text: node } : node;
    mkdirSync(directory ? place : dirname(place), { recursive: true });
    if (nameOf !== undefined) {
      linkSync(join(root, nameOf), place);
      continue;
    }
    if (link !== undefined) symlinkSync(link, place);
    else if (!directory) writeFileSync(place, text ?? '');
    lchownSync(place, owner, owner);
    if (link === undefined) chmodSync(place, mode ?? (directory ? 0o755 : 0o644));
    made.push([place, time]);
  }
  for (const [place, time] of made.toReversed()) lutimesSync(place, time, time);
}

export interface Seen {
  readonly what: string;
  /** Modification time of files in seconds. */
  readonly mtime: number;
}

/** Everything below a root: type, mode, owner, content. */
export function look(root: string, path = ''): Map<string, Seen> {
  const found = lstatSync(join(root, path));
  const owner = `${found.uid}:${found.gid} ${(found.mode & 0o7777).toString(8)}`;
  if (found.isSymbolicLink()) return new Map([[path, { what: `link ${readlinkSync(join(root, path))}`, mtime: 0 }]]);
  if (found.isFile())
    return new Map([
      [path, { what: `file ${owner} ${readFileSync(join(root, path), 'latin1')}`, mtime: found.mtimeMs / 1000 }],
    ]);
  if (!found.isDirectory()) return new Map([[path, { what: `special ${owner}`, mtime: 0 }]]);
  const below = readdirSync(join(root, path)).toSorted();
  return new Map([
    [path, { what: `directory ${owner}`, mtime: 0 }],
    ...below.flatMap((name) => [...look(root, join(path, name))]),
  ]);
}

/** The differences as text, one per path. Times are included only if the first tree kept an old one. */
export function differences(reference: Map<string, Seen>, ours: Map<string, Seen>): string[] {
  const paths = [...new Set([...reference.keys(), ...ours.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [a, b] = [reference.get(path), ours.get(path)];
    if (a?.what !== b?.what) return [`${path}: ${a?.what ?? 'absent'} | ${b?.what ?? 'absent'}`];
    const kept = a !== undefined && a.mtime > 0 && a.mtime < OLD_S + 86_400;
    if (kept && Math.abs(a.mtime - b!.mtime) > 0.000_01) return [`${path}: mtime ${a.mtime} | ${b!.mtime}`];
    return [];
  });
}
