import { formatDuration } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { chargeUncaught } from './attribution.ts';
import { STOP_ORDER, type Component } from './components/component.ts';
import { SupervisedComponent, type Timing } from './supervised-component.ts';
import type { ComponentStatus } from './status/document.ts';

/** The components of a sidecar, each kept running separately. */
interface Supervisor extends Disposable {
  /** The states, in the order of the components. */
  status(): readonly ComponentStatus[];
  /** Starts all components. */
  start(): void;
  /**
   * Stops the components in STOP_ORDER. A component that exceeds its time is abandoned, so that the next ones still
   * have theirs.
   */
  stop(reason: Error): Promise<void>;
}

/** Attributes uncaught errors to the components until it is disposed. After that an uncaught error ends the process. */
export function supervise(components: readonly Component[], log: Log, timing?: Timing): Supervisor {
  const kept = components.map((component) => new SupervisedComponent(component, log, timing));
  const ends = new Map<SupervisedComponent, Promise<void>>();
  const charging = chargeUncaught();
  const stopOne = async (one: SupervisedComponent, reason: Error) => {
    const ended = ends.get(one);
    if (ended === undefined) return;
    one.stop(reason);
    const { name, stopMs } = one.component;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, stopMs);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
    if (!one.isOver) log.error(`did not stop within ${formatDuration(stopMs)}: abandoned`, { component: name });
  };
  return {
    status: () => kept.map((one) => one.status()),
    start() {
      for (const one of kept) ends.set(one, one.keep());
    },
    async stop(reason) {
      for (const names of STOP_ORDER) {
        const group = kept.filter(({ component }) => names.includes(component.name));
        await Promise.all(group.map((one) => stopOne(one, reason)));
      }
    },
    [Symbol.dispose]: () => charging[Symbol.dispose](),
  };
}
