import { judgeDaemonSet } from '../../../src/wait/kinds/daemonset.ts';
import { is, judged, metadata } from './judged.ts';

const owned = (more: object, owner = 'x') => ({
  metadata: { name: 'p', ownerReferences: [{ kind: 'DaemonSet', name: owner }] },
  ...more,
});
const settled = { observedGeneration: 2, currentNumberScheduled: 1, desiredNumberScheduled: 1 };
judged('a DaemonSet', [
  [
    'whose Pod on this node is ready',
    judgeDaemonSet({ metadata }, [owned({ status: { conditions: [is('Ready')] } })], 'n', 'wait'),
    'met',
    'its Pod on node n is ready',
  ],
  [
    'whose Pod on this node is not ready',
    judgeDaemonSet({ metadata }, [owned({ status: { phase: 'Running' } })], 'n', 'ready'),
    'pending',
    'its Pod on node n: Running',
  ],
  [
    'without a Pod on this node',
    judgeDaemonSet({ metadata, status: settled }, [], 'n', 'wait'),
    'pending',
    'none of its Pods is on node n',
  ],
  [
    'without a Pod on this node, if absence counts as ready',
    judgeDaemonSet({ metadata, status: settled }, [], 'n', 'ready'),
    'met',
    'none of its Pods is on node n',
  ],
  [
    'that has not created its Pods yet',
    judgeDaemonSet({ metadata, status: { ...settled, currentNumberScheduled: 0 } }, [], 'n', 'ready'),
    'pending',
    'none of its Pods is on node n',
  ],
  [
    "with another DaemonSet's Pod of the same labels",
    judgeDaemonSet({ metadata }, [owned({ status: { conditions: [is('Ready')] } }, 'y')], 'n', 'wait'),
    'pending',
    'none of its Pods is on node n',
  ],
]);
