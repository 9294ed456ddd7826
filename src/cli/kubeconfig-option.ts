import type { Option } from './option.ts';

/** Credentials of commands that run in a Pod and on a workstation. */
export const KUBECONFIG_OPTION = {
  flag: 'kubeconfig',
  type: 'path',
  env: 'KUBECONFIG',
  help: "kubeconfig file (default: use the Pod's ServiceAccount)",
  example: '/root/.kube/config',
} as const satisfies Option;
