import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

/** A script that an image's kolla_start sources, with the files of the image and its parents. */
export interface ExtendScript {
  /** The path below `docker/` in the package: `aodh/aodh-api/extend_start.sh`. */
  readonly script: string;
  readonly image: string;
  /** The user of the Pod: the last USER in the image's Dockerfile, or the user that its parents create. */
  readonly user: string;
  /**
   * Maps a path in the image to a file of the package, or to '' for an empty file, as in the Dockerfiles of the image
   * and its parents.
   */
  readonly files: ReadonlyMap<string, string>;
}

interface Dockerfile {
  readonly image: string;
  readonly parent: string | undefined;
  readonly text: string;
  readonly directory: string;
}

const BIN = '/usr/local/bin';
const EXTEND_START = /extend_start/;

/** Every extend script in the package, ordered by path. */
export async function extendScripts(docker: string): Promise<ExtendScript[]> {
  const files = (await readdir(docker, { recursive: true })).toSorted((a, b) => (a < b ? -1 : 1));
  const images = new Map<string, Dockerfile>();
  for (const file of files.filter((each) => basename(each) === 'Dockerfile.j2')) {
    const directory = join(docker, dirname(file));
    const text = await readFile(join(docker, file), 'utf8');
    const parent = /^FROM .*image_prefix }}([\w-]+):/m.exec(text)?.[1];
    images.set(basename(directory), { image: basename(directory), parent, text, directory });
  }
  return files
    .filter((file) => EXTEND_START.test(basename(file)))
    .map((file) => {
      const image = basename(dirname(file));
      const chain = chainOf(image, images);
      return { script: file, image, user: userOf(chain), files: filesOf(chain, docker) };
    });
}

/** The images from the base image to this one. */
function chainOf(image: string, images: ReadonlyMap<string, Dockerfile>): Dockerfile[] {
  const chain: Dockerfile[] = [];
  for (let at = images.get(image); at !== undefined; at = at.parent === undefined ? undefined : images.get(at.parent))
    chain.unshift(at);
  return chain;
}

function filesOf(chain: readonly Dockerfile[], docker: string): Map<string, string> {
  const files = new Map<string, string>([[`${BIN}/kolla_extend_start`, '']]);
  for (const { text, directory } of chain) {
    for (const [, path = ''] of text.matchAll(/touch (\/usr\/local\/bin\/\S*extend_start)/g)) files.set(path, '');
    for (const [, words = ''] of text.matchAll(/^\s*COPY (.* \/usr\/local\/bin\/\S*)$/gm)) {
      const [target = '', ...sources] = words.split(' ').toReversed();
      for (const source of sources) {
        const path = target.endsWith('/') ? `${target}${source}` : target;
        if (EXTEND_START.test(path) || path.endsWith('_setup'))
          files.set(path, relative(docker, join(directory, source)));
      }
    }
  }
  return files;
}

/** Images without a user of their own, with the user for which their scripts or services are meant. */
const MEANT: Readonly<Record<string, string>> = {
  dnsmasq: 'ironic',
  fluentd: 'fluentd',
  'letsencrypt-base': 'haproxy',
  'openvswitch-base': 'openvswitch',
  'ovn-base': 'openvswitch',
  ovsdpdk: 'openvswitch',
};

/** The only user of an image without root: the one meant for its script, the image's own, or kolla. */
function userOf(chain: readonly Dockerfile[]): string {
  const meant = chain.map(({ image }) => MEANT[image]).findLast((name) => name !== undefined);
  if (meant !== undefined) return meant;
  const made = chain.flatMap(({ text }) =>
    [...text.matchAll(/configure_user\(name='([\w-]+)'/g)].map(([, name]) => name),
  );
  const last = chain.flatMap(({ text }) => [...text.matchAll(/^USER (\w+)/gm)].map(([, name]) => name)).at(-1);
  return [last, ...made.toReversed()].find((name) => name !== undefined && name !== 'root') ?? 'kolla';
}
