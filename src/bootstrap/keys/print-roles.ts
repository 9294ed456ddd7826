import { UsageError } from '../../core/errors.ts';
import { rolesFor, rolesYaml } from '../../kube/rbac.ts';
import type { KeyRepository } from '../../catalog/index.ts';
import { keysGrants } from './grants.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** The Role and its binding that `keys` needs, as YAML for kubectl. UsageError for what is no name of Kubernetes. */
export function printRoles(
  service: string,
  repositories: readonly KeyRepository[],
  namespace: string,
  account: string,
): string {
  if (!LABEL.test(namespace)) throw new UsageError(`--namespace: '${namespace}' is no name of Kubernetes`);
  if (!SUBDOMAIN.test(account)) throw new UsageError(`--service-account: '${account}' is no name of Kubernetes`);
  const name = `kolla-bootstrap-keys-${service}-${account}`;
  const subject = { kind: 'ServiceAccount', name: account, namespace } as const;
  return rolesYaml(rolesFor(keysGrants(namespace, repositories), subject, { role: name, clusterRole: name }));
}
