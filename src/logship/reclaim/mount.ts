import { dirname } from 'node:path';

interface Mount {
  /** What of its file system is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** Of the kubelet's own folder for such a volume, wherever that lies. */
const EMPTY_DIR = '/volumes/kubernetes.io~empty-dir/';

/**
 * Why what lies there is gone when the pod is: it is an emptyDir, or in memory. Undefined for all else, such as a folder of the
 * node, whose logs others look after.
 * @param folder absolute, without links
 * @param mountinfo the text of /proc/self/mountinfo
 */
export function endsWithPod(folder: string, mountinfo: string): string | undefined {
  const mounts = mountinfo.split('\n').flatMap((line) => parseMount(line) ?? []);
  for (let at = folder; ; at = dirname(at)) {
    // Of several at one point the last is on top.
    const mount = mounts.findLast(({ point }) => point === at);
    if (mount !== undefined) return reasonOf(mount);
    if (at === dirname(at)) return undefined;
  }
}

function reasonOf({ root, type }: Mount): string | undefined {
  if (`${root}/`.includes(EMPTY_DIR)) return 'an emptyDir';
  return type === 'tmpfs' ? 'in memory' : undefined;
}

/** `36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/root rw`, proc(5). */
function parseMount(line: string): Mount | undefined {
  const [front = '', back = ''] = line.split(' - ');
  const [, , , root, point] = front.split(' ');
  const [type] = back.split(' ');
  if (root === undefined || point === undefined || type === undefined) return undefined;
  return { root: unescaped(root), point: unescaped(point), type };
}

/** A blank in a path is `\040`. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
