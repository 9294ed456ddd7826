import { ApiError } from '../kube/api-error.ts';
import { objectPath } from '../kube/path.ts';
import type { KubeClient } from '../kube/types.ts';

const NAME = 'kolla-operator';
const FIX = 'apply k8s/operator/policy.yaml, or grant our objects only to those who may create Pods';

interface Binding {
  readonly spec?: { readonly policyName?: string; readonly validationActions?: readonly string[] };
}

/**
 * Why users who may not create Pods may set any value; undefined if the admission policy denies it. The policy's own file
 * allows all accounts to read it, so a denied request means that it was not applied.
 * @throws the error of a request that the API server does not answer
 */
export async function policyProblem(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  for (const resource of ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']) {
    const ref = { group: 'admissionregistration.k8s.io', version: 'v1', resource, namespace: '', name: NAME };
    try {
      const { spec } = await client.get<Binding>(objectPath(ref), { signal });
      // Another action than Deny lets the request pass.
      if (spec?.validationActions?.includes('Deny') === false)
        return `the binding of ValidatingAdmissionPolicy ${NAME} does not deny, so values are not restricted: ${FIX}`;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 403)) throw error;
      return `ValidatingAdmissionPolicy ${NAME} or its binding is not installed, so values are not restricted: ${FIX}`;
    }
  }
  return undefined;
}
