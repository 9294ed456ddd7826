/**
 * The version of Kubernetes that tests run: KUBERNETES=1.36 in the environment, by default that of `go/go.mod`. Each other
 * minor version has its own module file, `go/kubernetes-1.36.mod`. For a new one, copy it, change the versions to those in
 * the go.mod of that k8s.io/kubernetes, and run `go mod tidy -modfile=../kubernetes-1.38.mod` in `go/kube`.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface KubernetesVersion {
  /** `1.35` */
  readonly minor: string;
  /** `1.35.4` */
  readonly version: string;
  /** The module file and its checksums, in the directory `go/`. */
  readonly module: string;
  readonly sums: string;
}

export const GO_DIRECTORY: string = fileURLToPath(new URL('go/', import.meta.url));
const DEFAULT_MODULE = 'go.mod';

/** @throws Error with the known versions if there is no module file for `minor`; '' and undefined are the default */
function kubernetesVersion(minor?: string): KubernetesVersion {
  const all = [DEFAULT_MODULE, ...globSync('kubernetes-*.mod', { cwd: GO_DIRECTORY })].map(read);
  const found = minor === undefined || minor === '' ? all[0] : all.find((each) => each.minor === minor);
  if (found !== undefined) return found;
  const known = all.map((each) => each.minor).toSorted();
  throw new Error(
    `KUBERNETES=${minor}: there is ${known.join(', ')}; another one needs ${GO_DIRECTORY}kubernetes-*.mod`,
  );
}

function read(module: string): KubernetesVersion {
  const text = readFileSync(GO_DIRECTORY + module, 'utf8');
  const [, version, minor] = /^\s*k8s\.io\/kubernetes v((\d+\.\d+)\.\S+)$/m.exec(text) ?? [];
  if (version === undefined || minor === undefined) throw new Error(`${module} does not require k8s.io/kubernetes`);
  return { minor, version, module, sums: module.replace(/\.mod$/, '.sum') };
}

/** The minor version without a choice. */
export const DEFAULT_KUBERNETES: string = kubernetesVersion().minor;
/** The selected version. */
export const KUBERNETES: KubernetesVersion = kubernetesVersion(process.env['KUBERNETES']);

/** The version of containerd 2: `2.4.2`. */
export const CONTAINERD_VERSION: string =
  /^require github\.com\/containerd\/containerd\/v2 v(\S+)/m.exec(
    readFileSync(`${GO_DIRECTORY}containerd/go.mod`, 'utf8'),
  )?.[1] ?? '';
