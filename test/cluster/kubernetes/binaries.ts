import { readFile, readdir, statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../src/cli/errors.ts';
import { cached, cacheRoot } from '../../support/cache.ts';
import type { Capability } from '../../support/capability.ts';
import { must } from '../../support/process.ts';

export const GO_FOLDER: string = fileURLToPath(new URL('go/', import.meta.url));
/** A cold build holds modules (0.6 GB), Go's build cache (3.2 GB) and the linker's temporary files. */
const BUILD_BYTES = 6e9;
/** Of CoreDNS, whose modules are few beside those. */
const DNS_BUILD_BYTES = 2e9;
const BUILD_DEADLINE_MS = 40 * 60_000;

/** etcd, the control plane, kubelet, kube-proxy and kubectl in one file: `kube COMPONENT ...`. Built once, by `go build`. */
export async function kubeBinary(): Promise<string> {
  const version = await kubernetesVersion();
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  // Without these a server calls itself v0.0.0-master+$Format:%H$, and its own kubectl can't read that.
  const flags = [
    `-X k8s.io/component-base/version.gitVersion=${version}`,
    `-X k8s.io/component-base/version.gitMajor=${major}`,
    `-X k8s.io/component-base/version.gitMinor=${minor}`,
    `-X k8s.io/client-go/pkg/version.gitVersion=${version}`,
  ];
  return await built({
    name: 'kube',
    folder: GO_FOLDER,
    sources: ['go.mod', 'go.sum', 'kube'],
    flags,
    room: BUILD_BYTES,
  });
}

/** The one static program of the node's own processes and of the test images; `go/testbox/main.go` says its verbs. */
export async function testbox(): Promise<string> {
  return await built({ name: 'testbox', folder: GO_FOLDER, sources: ['testbox'], flags: [], room: 0 });
}

/** CoreDNS with the plugins of `go/coredns/main.go`. A module of its own: its versions must not move Kubernetes'. */
export async function corednsBinary(): Promise<string> {
  return await built({ name: 'coredns', folder: GO_FOLDER, sources: ['coredns'], flags: [], room: DNS_BUILD_BYTES });
}

/** Proven by building both, which is nothing once they are in the cache. */
export const canBuildKubernetes: Capability = async () => {
  try {
    await testbox();
    await kubeBinary();
    return undefined;
  } catch (error) {
    return `Kubernetes can't be built here: ${messageOf(error)}`;
  }
};

/** Proven by building it, which is nothing once it is in the cache. */
export const canBuildCoredns: Capability = async () => {
  try {
    await corednsBinary();
    return undefined;
  } catch (error) {
    return `CoreDNS can't be built here: ${messageOf(error)}`;
  }
};

async function kubernetesVersion(): Promise<string> {
  const module = await readFile(join(GO_FOLDER, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes (v\S+)$/m.exec(module)?.[1];
  if (version === undefined) throw new Error(`${GO_FOLDER}go.mod does not require k8s.io/kubernetes`);
  return version;
}

export interface Program {
  /** Also its folder under `folder`. */
  readonly name: string;
  readonly folder: string;
  readonly sources: readonly string[];
  readonly flags: readonly string[];
  /** Bytes that a build from nothing needs on the cache's disk. */
  readonly room: number;
  /** The package with its main(), if that is not the folder itself but of a module that it requires. */
  readonly main?: string;
}

/** Builds a program of ours, or of a module that one of ours requires, once into the cache; its path. */
export async function built({ name, folder, sources, flags, room, main = '.' }: Program): Promise<string> {
  const texts = await Promise.all(sources.map((source) => textOf(join(folder, source))));
  const place = await cached(name, [arch(), ...flags, ...texts], async (output) => {
    const { bavail, bsize } = await statfs(output);
    if (bavail * bsize < room)
      throw new Error(`${cacheRoot()} has ${(bavail * bsize) / 1e9} GB free; a build needs ${room / 1e9}`);
    // -p 2 and nice: on a small machine the compiler must leave room for the tests that run meanwhile.
    const build = ['build', '-p', '2', '-trimpath', '-ldflags', `-s -w ${flags.join(' ')}`, '-o', join(output, name)];
    await must('nice', ['go', ...build, main], {
      cwd: join(folder, name),
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false -modcacherw' },
      signal: AbortSignal.timeout(BUILD_DEADLINE_MS),
    });
  });
  return join(place, name);
}

/** A source's text, a folder's texts one after the other. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    const names = (await readdir(path)).toSorted();
    return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('\0');
  }
}
