import { readFile } from 'node:fs/promises';
import { kubeRouterBinary } from './binaries.ts';
import { startComponent, whenUp, type Command, type Site } from './component.ts';
import { ADMIN } from './control-plane.ts';
import type { ClusterKeys } from './credentials.ts';
import { FIRST_NODE } from './network.ts';

/**
 * Requires the kernel features that kube-router's rules use: sets of addresses, and packets that stay on the bridge.
 */
export const POLICY_LIKE_RULES: readonly Command[] = [
  ['ipset', ['create', 'test', 'hash:ip', 'timeout', '0']],
  [
    'iptables',
    '--append FORWARD --match physdev --physdev-is-bridged --match set --match-set test src --jump REJECT'.split(' '),
  ],
];

/**
 * Starts kube-router's NetworkPolicy controller on the first node and waits for its first synchronization. It writes
 * iptables rules into the node's network namespace, where bridged packets pass iptables by default.
 */
export async function startPolicies(site: Site, keys: ClusterKeys): Promise<void> {
  const flags = {
    kubeconfig: await keys.kubeconfig('kube-router', 'https://127.0.0.1:6443', ADMIN),
    'hostname-override': FIRST_NODE.name,
    'run-firewall': 'true',
    'run-router': 'false',
    'run-service-proxy': 'false',
    'enable-cni': 'false',
    'health-port': '0',
    v: '1',
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const engine = await startComponent(site, 'kube-router', await kubeRouterBinary(), args);
  await whenUp(engine, 'its first synchronization', async () => {
    return (await readFile(engine.logFile, 'utf8')).includes('sync iptables took') || undefined;
  });
}
