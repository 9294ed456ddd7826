import { check } from '../check.ts';
import { logShipQuestion } from '../local/log-ship.ts';

/** Are the logs on their way? By the checkpoint that kolla-log-ship writes as the server acknowledges. */
export const logShip = check({
  word: 'log-ship',
  summary: 'Are the logs on their way?',
  description:
    'Compares the checkpoint of kolla-log-ship with the files that it names. Unhealthy where some of their bytes are not ' +
    'acknowledged, and nothing was for longer than --within: then it waits until its own deadline for an acknowledgement, as the first ' +
    'line after a quiet hour needs a moment too. For readiness this is hardly ever right: a service works without its logs.',
  operands: [],
  options: [
    {
      flag: 'state',
      type: 'path',
      env: 'KOLLA_PROBE_STATE',
      default: '/var/log/kolla/.kolla-log-ship',
      help: "kolla-log-ship's own --state",
      example: '/var/lib/kolla-log-ship',
    },
    {
      flag: 'within',
      type: 'duration',
      env: 'KOLLA_PROBE_WITHIN',
      default: '1m',
      help: 'bytes may wait for so long',
      example: '5m',
    },
  ],
  examples: [
    { line: 'kolla-probe log-ship --timeout 5s', does: 'healthy while what is written is also acknowledged' },
    { line: 'kolla-probe log-ship --state ./state --within 10m', does: 'elsewhere, and more patient' },
  ],
  prepare({ options: { state: stateDir, within: withinMs } }) {
    return logShipQuestion({ stateDir, withinMs }, 'log-ship');
  },
});
