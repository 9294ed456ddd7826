/** What fails in an upgrade by OpenStack itself, whatever runs it. Only what these describe may fail. */
import type { Row, Sample } from './load.ts';
import type { UpgradeCheck } from './upgrade-checks.ts';

interface Limit {
  /** Releases of OpenStack before this one have it; undefined if all do. */
  readonly before?: string;
  readonly phase: RegExp;
  readonly what: RegExp;
  readonly saw: RegExp;
  readonly reason: string;
}

const LIMITS: readonly Limit[] = [
  {
    before: '2026.1',
    phase: /nova-compute/,
    what: /^server$/,
    // A build that fails by itself has a fault. One whose nova-compute has ended is set to ERROR by the next one, without.
    saw: /: ERROR: None$/,
    reason: 'nova-compute before 2026.1 ends without the build that it has claimed',
  },
  {
    phase: /./,
    what: /^(?:server|stack|volume|heat)$/,
    // Seen when the call came in the second in which a nova-scheduler, a heat-engine closed its channel after SIGTERM.
    saw: /MessagingTimeout|Timed out waiting for a reply to message/,
    reason: 'a call that reaches an RPC server as it stops is lost, and its caller waits 60 s (oslo.messaging)',
  },
];

/** @param from the old release  @returns why a failed sample of a row is its service's own, or undefined */
export function limitOf(row: Row, sample: Sample, from: string): string | undefined {
  return LIMITS.find(
    ({ before, phase, what, saw }) =>
      (before === undefined || from < before) && phase.test(row.phase) && what.test(row.what) && saw.test(sample.saw),
  )?.reason;
}

/** Tools of `upgrade check` that end with a traceback of their own. */
const BROKEN_CHECKS: readonly { readonly release: string; readonly service: string; readonly saw: RegExp }[] = [
  // glance-status registers no options of stores.
  { release: '2026.2', service: 'glance', saw: /no such option enabled_backends/ },
];

/** @param release whose tool it is  @returns whether nothing that it found forbids the upgrade */
export function permitsUpgrade({ service, code, output }: UpgradeCheck, release: string): boolean {
  const isBroken = BROKEN_CHECKS.some(
    (known) => known.release === release && known.service === service && known.saw.test(output),
  );
  return code < 2 || isBroken;
}
