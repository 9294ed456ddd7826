/** The text of a kubeconfig with one context. */
export function kubeconfigOf(cluster: object, user: object): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
