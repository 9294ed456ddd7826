import { defined } from '../../../src/core/defined.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { run, type Finished } from '../../../tools/process.ts';

/** A file or directory of this machine, and its place in the tree. */
export interface Bind {
  readonly from: string;
  readonly to: string;
}

/** $1: a private directory, $2: the tree, then FROM TO of each bind, --, and the command. */
const ENTER = `
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
root=$1/root
shift 2
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
until [ "$1" = -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")"; touch "$root$2"; fi
  mount --bind "$1" "$root$2"
  shift 2
done
shift
exec chroot "$root" "$@"
`;

/** This machine's network settings and CA bundle, for a program that downloads. */
const NETWORK = ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'].map((file) => {
  return { from: file, to: file };
});
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

interface InsideOptions {
  readonly binds?: readonly Bind[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program of a root file system in it, as root, in private mounts that end with it. What it writes outside of
 * `binds` is lost.
 * @param tree its directory, or several separated by colons, the uppermost first
 */
export async function inTree(
  tree: string,
  argv: readonly [string, ...string[]],
  options: InsideOptions = {},
): Promise<string> {
  const inside = {
    SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
    ...defined(Object.fromEntries(PROXIES.map((name) => [name, process.env[name]]))),
    ...options.env,
  };
  const binds = [...NETWORK, ...(options.binds ?? [])];
  const { code, stdout, stderr } = await runInTree(tree, argv, { binds, env: inside });
  if (code === 0) return stdout;
  throw new Error(`${argv.join(' ')}, in ${tree}, exited with code ${code}: ${(stderr || stdout).slice(-2000)}`);
}

interface RunInside extends InsideOptions {
  readonly signal?: AbortSignal;
  /** Wraps the command, as to run it in another network namespace. */
  readonly place?: (command: string, args: readonly string[]) => [string, string[]];
}

/** The same for a program that downloads nothing, whatever its exit code. */
export async function runInTree(
  tree: string,
  argv: readonly [string, ...string[]],
  { binds = [], env = {}, signal, place = (command, args) => [command, [...args]] }: RunInside = {},
): Promise<Finished> {
  await using work = await privateDirectory('tree');
  const inside = { PATH: '/usr/local/bin:/usr/bin:/usr/sbin', HOME: '/tmp', LANG: 'C.UTF-8', ...env };
  const settings = Object.entries(inside).map(([name, value]) => `${name}=${value}`);
  const places = binds.flatMap(({ from, to }) => [from, to]);
  const enter = ['--mount', 'sh', '-ec', ENTER, 'sh', work.path, tree, ...places, '--'];
  const command = [...enter, '/usr/bin/env', '-i', ...settings, ...argv];
  return await run(...place('unshare', command), signal === undefined ? {} : { signal });
}
