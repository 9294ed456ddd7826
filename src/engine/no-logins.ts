/** Replaces src/kube/other-logins.ts. kolla-pod has taken over before: kube-logins.ts. */
import { ConfigError } from '../core/errors.ts';
import { otherLoginOf, type Credentials } from '../kube/login.ts';
import type { KubeconfigEntry } from '../kube/kubeconfig.ts';

/** @throws ConfigError: the kubeconfig was changed to one that needs kolla-pod */
export function otherLogin(entry: KubeconfigEntry): () => Promise<Credentials> {
  throw new ConfigError(`${otherLoginOf(entry)} needs kolla-pod; kolla-core has none`);
}
