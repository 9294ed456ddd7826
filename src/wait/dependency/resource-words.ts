import type { Resource } from './sharing.ts';

/**
 * Rows `plural group[!] aliases`, in which `-` is the core group and `!` means cluster-scoped. Every cluster has these
 * resources, so they can be used without one.
 */
const BUILT_IN = `
  namespaces -! namespace ns
  persistentvolumes -! persistentvolume pv
  persistentvolumeclaims - persistentvolumeclaim pvc
  serviceaccounts - serviceaccount sa
  replicationcontrollers - replicationcontroller rc
  resourcequotas - resourcequota quota
  events - event ev
  limitranges - limitrange limits
  replicasets apps replicaset rs
  controllerrevisions apps controllerrevision
  cronjobs batch cronjob cj
  ingresses networking.k8s.io ingress ing
  ingressclasses networking.k8s.io! ingressclass
  networkpolicies networking.k8s.io networkpolicy netpol
  horizontalpodautoscalers autoscaling horizontalpodautoscaler hpa
  poddisruptionbudgets policy poddisruptionbudget pdb
  priorityclasses scheduling.k8s.io! priorityclass pc
  roles rbac.authorization.k8s.io role
  rolebindings rbac.authorization.k8s.io rolebinding
  clusterroles rbac.authorization.k8s.io! clusterrole
  clusterrolebindings rbac.authorization.k8s.io! clusterrolebinding
  storageclasses storage.k8s.io! storageclass sc
  volumeattachments storage.k8s.io! volumeattachment
  csidrivers storage.k8s.io! csidriver
  leases coordination.k8s.io lease
  customresourcedefinitions apiextensions.k8s.io! customresourcedefinition crd crds
  apiservices apiregistration.k8s.io! apiservice
  endpointslices discovery.k8s.io endpointslice
  certificatesigningrequests certificates.k8s.io! certificatesigningrequest csr
  runtimeclasses node.k8s.io! runtimeclass
  mutatingwebhookconfigurations admissionregistration.k8s.io! mutatingwebhookconfiguration
  validatingwebhookconfigurations admissionregistration.k8s.io! validatingwebhookconfiguration
`;

interface Row extends Pick<Resource, 'group' | 'resource' | 'namespaced'> {
  readonly words: readonly string[];
}

const ROWS: readonly Row[] = BUILT_IN.trim()
  .split('\n')
  .map((line) => {
    const [resource = '', where = '', ...others] = line.trim().split(' ');
    const group = where.replace('!', '');
    return {
      group: group === '-' ? '' : group,
      resource,
      namespaced: !where.endsWith('!'),
      words: [resource, ...others],
    };
  });

/** Names that every cluster has. */
export const BUILT_IN_WORDS: ReadonlySet<string> = new Set(ROWS.flatMap(({ words }) => words));

interface Named {
  readonly resource: Pick<Resource, 'group' | 'resource' | 'namespaced'>;
  /** The assumption; undefined if there is none. */
  readonly guess?: string;
}

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * The resource of a word, without a cluster: as written if it is not built in. Its plural is then derived, which is
 * correct for nearly all definitions, and it is assumed to be namespaced.
 */
export function resourceOfWord(text: string): Named {
  const [word = '', ...rest] = text.toLowerCase().split('.');
  const group = (VERSION.test(rest[0] ?? '') && rest.length > 1 ? rest.slice(1) : rest).join('.');
  const found = ROWS.find(({ words, group: its }) => words.includes(word) && (rest.length === 0 || its === group));
  if (found !== undefined) return { resource: found };
  const resource = pluralOf(word);
  return {
    resource: { group, resource, namespaced: true },
    guess:
      `'${text}' is assumed to be the resource ${resource}${group === '' ? '' : `.${group}`}, namespaced; ` +
      'see kubectl api-resources',
  };
}

function pluralOf(word: string): string {
  if (/[^su]s$/.test(word)) return word;
  if (/(?:[sx]|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
