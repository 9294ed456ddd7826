import type { KubeClient } from '../../kube/types.ts';
import type { OpenStack } from '../api/objects.ts';
import { checkUpgrade, type Checked, type Rendered } from './upgrade-check.ts';

/** How many run at the same time: each costs a CPU for some seconds, next to services that are at work. */
const AT_ONCE = 2;
/** How long a check that has passed is not repeated. */
const PASSED_MS = 60 * 60_000;

/** A service with the objects of its upgrade check; none if it has none. */
interface CheckedService {
  readonly name: string;
  /** Of its specification. */
  readonly digest: string;
  readonly rendered: readonly Rendered[];
}

/** What the checks say, each with the name of its service. */
interface Results {
  readonly failed: readonly string[];
  readonly running: readonly string[];
  readonly warnings: readonly string[];
}

/** The upgrade checks of a cloud's services, a few at a time. */
export class UpgradeChecks {
  readonly #client: KubeClient;
  readonly #passed = new Map<string, { readonly digest: string; readonly until: number; readonly result: Checked }>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Starts checks, and reads those that run. Call it again as long as one is running. */
  async run(openstack: OpenStack, services: readonly CheckedService[], signal: AbortSignal): Promise<Results> {
    const [failed, running, warnings]: [string[], string[], string[]] = [[], [], []];
    for (const { name, digest, rendered } of services) {
      if (running.length === AT_ONCE) break;
      const known = this.#passed.get(name);
      const isKnown = known?.digest === digest && known.until > performance.now();
      const result = isKnown ? known.result : await checkUpgrade(this.#client, openstack, rendered, signal);
      if (result.is === 'failed') failed.push(`${name}: ${result.why}`);
      else if (result.is === 'pending') running.push(`${name}: ${result.why}`);
      else {
        if (!isKnown) this.#passed.set(name, { digest, until: performance.now() + PASSED_MS, result });
        if (result.warning !== undefined) warnings.push(`${name}: ${result.warning}`);
      }
    }
    return { failed, running, warnings };
  }
}
