import { formatDuration } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { chargeUncaught } from './attribution.ts';
import { STOP_ORDER, type Role } from './components/component.ts';
import { SupervisedRole, type Timing } from './supervised-role.ts';
import type { RoleStatus } from './status/document.ts';

/** The components of a sidecar, each kept running separately. */
interface Supervisor extends Disposable {
  /** The states, in the order of the components. */
  status(): readonly RoleStatus[];
  /** Starts all components. */
  start(): void;
  /**
   * Stops the components in STOP_ORDER. A component that exceeds its time is abandoned, so that the next ones still
   * have theirs.
   */
  stop(reason: Error): Promise<void>;
}

/** Attributes uncaught errors to the components until it is disposed. After that an uncaught error ends the process. */
export function supervise(roles: readonly Role[], log: Log, timing?: Timing): Supervisor {
  const kept = roles.map((role) => new SupervisedRole(role, log, timing));
  const ends = new Map<SupervisedRole, Promise<void>>();
  const charging = chargeUncaught();
  const stopOne = async (one: SupervisedRole, reason: Error) => {
    const ended = ends.get(one);
    if (ended === undefined) return;
    one.stop(reason);
    const { name, stopMs } = one.role;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, stopMs);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
    if (!one.isOver) log.error(`did not stop within ${formatDuration(stopMs)}: abandoned`, { role: name });
  };
  return {
    status: () => kept.map((one) => one.status()),
    start() {
      for (const one of kept) ends.set(one, one.keep());
    },
    async stop(reason) {
      for (const names of STOP_ORDER) {
        const group = kept.filter(({ role }) => names.includes(role.name));
        await Promise.all(group.map((one) => stopOne(one, reason)));
      }
    },
    [Symbol.dispose]: () => charging[Symbol.dispose](),
  };
}
