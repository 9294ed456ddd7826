/**
 * What a cluster has under these words, whoever made it: the API server is asked for them. Other words without a group
 * are too, unless they look like a slip of the hand.
 */
const BUILT_IN = `
  namespace namespaces ns persistentvolume persistentvolumes pv persistentvolumeclaim persistentvolumeclaims
  pvc serviceaccount serviceaccounts sa replicationcontroller replicationcontrollers rc resourcequota
  resourcequotas quota event events ev limitrange limitranges limits replicaset replicasets rs cronjob
  cronjobs cj controllerrevision controllerrevisions ingress ingresses ing ingressclass ingressclasses
  networkpolicy networkpolicies netpol horizontalpodautoscaler horizontalpodautoscalers hpa
  poddisruptionbudget poddisruptionbudgets pdb priorityclass priorityclasses pc role roles rolebinding
  rolebindings clusterrole clusterroles clusterrolebinding clusterrolebindings storageclass storageclasses sc
  lease leases customresourcedefinition customresourcedefinitions crd crds apiservice apiservices
  endpointslice endpointslices volumeattachment volumeattachments csidriver csidrivers
  certificatesigningrequest certificatesigningrequests csr runtimeclass runtimeclasses
  mutatingwebhookconfiguration validatingwebhookconfiguration
`;

export const BUILT_IN_WORDS: ReadonlySet<string> = new Set(BUILT_IN.trim().split(/\s+/));
