import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { run, type Finished } from '../../tools/process.ts';
import type { Capability } from '../../tools/capability.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * In new namespaces: a root on a tmpfs with only this machine's programs, read-only, and an empty
 * /usr/local (other parts of the tree's /usr are overlaid on the machine's). Arguments: the
 * directory to mount it on, the tree to copy into it, unpacked packages or nothing, the directories to bind read-only, `--`,
 * volumes and their options, `--`, the command to run. With volumes, nothing else is writable.
 */
const ENTER = `set -o errexit -o nounset
root=$1 tree=$2 packages=$3; shift 3
mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
mkdir -p "$root"/{usr,proc,dev,tmp,run,etc/ssl/certs,etc/kolla/defaults,var/lib/kolla/config_files}
ln -s /run "$root/var/run"
for each in bin sbin lib lib32 lib64 libx32; do
  if [[ -L /$each ]]; then ln -s "usr/$each" "$root/$each"
  elif [[ -d /$each ]]; then mkdir "$root/$each"; mount --bind /$each "$root/$each"; fi
done
bind() { mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; mount -o remount,bind,ro "$root$1"; }
directories=()
while [[ $1 != -- ]]; do bind "$1"; directories+=("$1"); shift; done
shift
if [[ -n $packages || -n $(find "$tree/usr" -mindepth 1 -maxdepth 1 ! -name local 2> /dev/null) ]]; then
  mkdir -p "$tree/usr"
  mount -t overlay -o "lowerdir=$tree/usr\${packages:+:$packages/usr}:/usr" overlay "$root/usr"
fi
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/usr/local"
mkdir -p "$root"/usr/local/{bin,sbin,share/ca-certificates}
chmod 1777 "$root/tmp"
volumes=()
while [[ $1 != -- ]]; do
  mkdir -p "$root$1"; mount -t tmpfs -o "$2" tmpfs "$root$1"; volumes+=("$1")
  # A volume at /tmp hides a repository in /tmp, so the directories in it are bound again.
  for directory in "\${directories[@]}"; do if [[ $directory == "$1"/* ]]; then bind "$directory"; fi; done
  shift 2
done
shift
(cd "$tree" && find . ! -type d \\( -path './usr/local/*' -o ! -path './usr/*' \\) -print0 | tar --null -T - -cf -) | tar -C "$root" -xpf -
if (( \${#volumes[@]} )); then
  mount -o remount,ro "$root/usr/local"; mount -o remount,ro "$root"
fi
exec chroot "$root" "$@"`;

/** The files of a tree by path, as text, or as text and mode. */
export type Tree = Readonly<Record<string, string | { readonly text: string; readonly mode: number }>>;

export interface InRoot {
  readonly tree: Tree;
  /** Directories of this machine that are needed in addition to the repository and /usr. */
  readonly directories?: readonly string[];
  /** Unpacked packages, whose /usr is overlaid on that of the machine. */
  readonly packages?: string;
  readonly uid?: number;
  /** Groups in addition to the one that equals the uid. */
  readonly groups?: readonly number[];
  /** With a read-only root: directories that are writable, with the options of their tmpfs. */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly noNewPrivileges?: boolean;
}

const INSIDE = { HOME: '/', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** Runs a line of bash in a temporary root, which is removed afterwards. It cannot change this machine's files. */
export async function inThrowAwayRoot(line: string, options: InRoot): Promise<Finished> {
  await using directory = await privateDirectory('root');
  const [root, tree] = [join(directory.path, 'root'), join(directory.path, 'tree')];
  await Promise.all([mkdir(root), mkdir(tree)]);
  for (const [path, file] of Object.entries(options.tree)) {
    const { text, mode } = typeof file === 'string' ? { text: file, mode: 0o644 } : file;
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
    await chmod(join(tree, path), mode);
  }
  const { uid = 0 } = options;
  const who = uid === 0 ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, ...groupsOf(options.groups)];
  const bound = ['/usr', REPOSITORY, ...(options.directories ?? [])];
  const become = ['setpriv', ...who, ...(options.noNewPrivileges ? ['--no-new-privs'] : [])];
  const inside = ['/usr/bin/env', '-i', ...Object.entries({ ...INSIDE, ...options.env }).map(([k, v]) => `${k}=${v}`)];
  const volumes = Object.entries(options.volumes ?? {}).flat();
  const words = [
    root,
    tree,
    options.packages ?? '',
    ...bound,
    '--',
    ...volumes,
    '--',
    ...(become.length > 1 ? become : []),
    ...inside,
  ];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  // If stdin were a socket, bash would read this machine's ~/.bashrc.
  return await run('unshare', [
    ...namespaces,
    '/bin/bash',
    '--norc',
    '-c',
    ENTER,
    'enter',
    ...words,
    '/bin/bash',
    '--norc',
    '-c',
    line,
  ]);
}

function groupsOf(groups: readonly number[] = []): string[] {
  return groups.length === 0 ? ['--clear-groups'] : ['--groups', groups.join(',')];
}

/** Whether this user may create such roots, with Kolla's uids. */
export const canThrowAwayRoots: Capability = async () => {
  const tried = await inThrowAwayRoot('id -u', { tree: {}, uid: 42_425 }).catch((error: unknown) => String(error));
  if (typeof tried === 'string') return tried;
  return tried.code === 0 && tried.stdout === '42425\n' ? undefined : `no namespaces and uids: ${tried.stderr.trim()}`;
};
