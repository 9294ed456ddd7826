/** Runs Kolla's copy_cacerts.sh and ours on the same tree, each in a temporary root. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../../../tools/process.ts';
import { canHaveKolla, kollaPackage } from '../kolla-package.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from '../throw-away-root.ts';

/** What replaces `kolla_copy_cacerts` in that root. */
export interface Ours {
  /** A shell command line that runs our kolla_copy_cacerts. */
  readonly line: string;
  /** Directories of this machine that `line` needs in addition to the repository and /usr. */
  readonly directories: readonly string[];
  /** Why our kolla_copy_cacerts is not available. */
  readonly missing: string | undefined;
}

export interface Sides {
  readonly skip: string | false;
  /** Runs the same command line with both. Returns Kolla's result and ours. */
  readonly both: (tree: Tree, line?: string) => Promise<[Finished, Finished]>;
  /** Runs only ours. */
  readonly alone: (line: string, tree: Tree, uid?: number) => Promise<Finished>;
}

export const CONFIG = 'var/lib/kolla/config_files/ca-certificates';
export const SHARED = 'var/lib/kolla/share/ca-certificates';
export const STORE = '/usr/local/share/ca-certificates';

const program = (text: string) => ({ text, mode: 0o755 });
const UPDATE = program('#!/bin/sh\necho updated\nexit "$(cat /update-code 2>/dev/null || echo 0)"\n');
export const DEBIAN: Tree = { 'etc/debian_version': '12\n', 'usr/local/sbin/update-ca-certificates': UPDATE };
export const REDHAT: Tree = {
  'etc/redhat-release': 'Rocky\n',
  'usr/local/sbin/update-ca-trust': UPDATE,
  'etc/pki/ca-trust/source/anchors/other.pem': 'theirs',
};

export const LIST = `find /usr/local/share /etc/pki /etc/ssl/certs \\( -type f -o -type l \\) \\
  -printf '%p %m %l ' -exec sh -c 'cat "$1" 2>/dev/null | tr "\\n" " "; echo' sh {} \\; 2>/dev/null | sort`;
const RUN_AND_LIST = `kolla_copy_cacerts; echo "code $?"; ${LIST}`;

const NAME = 'usr/local/bin/kolla_copy_cacerts';

export async function sides(ours: Ours): Promise<Sides> {
  const missing = ours.missing ?? (await canThrowAwayRoots()) ?? (await canHaveKolla());
  const reference =
    missing === undefined ? await readFile(join(await kollaPackage(), 'base/copy_cacerts.sh'), 'utf8') : '';
  const script = `#!/bin/sh\nexec ${ours.line} "$@"\n`;
  const run = (text: string, line: string, tree: Tree, uid = 0) =>
    inThrowAwayRoot(line, { tree: { ...tree, [NAME]: program(text) }, directories: ours.directories, uid });
  return {
    skip: missing ?? false,
    both: async (tree, line = RUN_AND_LIST) => await Promise.all([run(reference, line, tree), run(script, line, tree)]),
    alone: (line, tree, uid) => run(script, line, tree, uid),
  };
}
