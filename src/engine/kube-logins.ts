import type { KubeconfigEntry } from '../kube/kubeconfig.ts';
import { entryIn, presentOf, textIn } from '../kube/kubeconfig.ts';
import { otherLoginOf } from '../kube/login.ts';
import { kubeSource } from '../kube/source.ts';

/** What of the login to the API server needs kolla-pod, in words; undefined for nothing. */
export function podLogin(
  kubeconfig: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let entry: KubeconfigEntry;
  try {
    const source = kubeSource(kubeconfig, env);
    if (source.kind === 'in-cluster') return undefined;
    entry = entryIn(presentOf(source.files), source.context);
  } catch {
    // Who logs in reports it, once files are in place.
    return undefined;
  }
  const other = otherLoginOf(entry);
  if (other !== undefined) return `${other} in its kubeconfig`;
  const proxy = textIn(entry.cluster, 'proxy-url');
  return proxy?.startsWith('https:') === true ? 'a proxy with TLS in its kubeconfig' : undefined;
}
