import { demandsOf } from './dependency/demand.ts';
import type { Dependency } from './dependency/dependency.ts';
import { ownNodeOnce } from './own-node.ts';
import { Watches } from './dependency/sharing.ts';
import type { Effects, Self } from './dependency/waiter.ts';

interface Given extends Pick<Effects, 'kube' | 'warn'> {
  readonly self: Self;
  /** Ends the waits of all waiters. */
  readonly stop: AbortSignal;
}

/** The Effects that the waiters of these dependencies share. */
export function effectsFor(dependencies: readonly Dependency[], { self, kube, warn, stop }: Given): Effects {
  const objects = dependencies.filter((dependency) => dependency.form === 'object');
  return { kube, warn, watches: new Watches(kube, warn, demandsOf(objects)), ownNode: ownNodeOnce(self, kube, stop) };
}
