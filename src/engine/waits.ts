import { isOfKinds } from '../wait/grammar/parse.ts';
import { SERVER_KINDS } from '../wait/kinds/servers.ts';

/** What of the waits only kolla-pod has: a login to the API server, in words; undefined for nothing. */
export async function podLoginOf(
  { wait: waits, kubeconfig }: { readonly wait: readonly string[]; readonly kubeconfig: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (waits.every((text) => isOfKinds(SERVER_KINDS, text))) return undefined;
  const { podLogin } = await import('./kube-logins.ts');
  return podLogin(kubeconfig, env);
}
