/** The addresses of a cluster's nodes, Pods and Services, by IP family. */
import type { Addresses } from '../../../build/docs/support.ts';
import { formatAddress } from '../../../src/net/dial/address.ts';

export type { Addresses };

/** `global.ipFamilies` of the charts, and the kinds of addresses that a cluster can have. */
export const FAMILIES: Readonly<Record<Addresses, readonly string[]>> = {
  IPv4: ['IPv4'],
  'IPv6-only': ['IPv6'],
  'dual-stack': ['IPv4', 'IPv6'],
};

/** ADDRESSES of the environment; '' and undefined are the default. @throws Error with the known ones */
export function addressesOf(name = ''): Addresses {
  const known = Object.keys(FAMILIES) as Addresses[];
  const found = known.find((each) => each === (name || 'IPv4'));
  if (found === undefined) throw new Error(`ADDRESSES=${name}: there is ${known.join(', ')}`);
  return found;
}

/** The addresses of a cluster that are of one IP family. */
interface Family {
  /** The network of all nodes and Pods. */
  readonly network: string;
  readonly services: string;
  /** The address of the Service `kubernetes`: the first of the range. */
  readonly kubernetes: string;
  /** The address of the Service `kube-dns`. */
  readonly dns: string;
  readonly loopback: string;
  /** All addresses to listen on; for IPv6, those of IPv4 too. */
  readonly any: string;
  /** Destination of the default route. */
  readonly everywhere: string;
}

/** The address of a node's bridge, and the range of its Pods. */
interface Own {
  readonly address: string;
  readonly pods: { readonly first: string; readonly last: string };
}

export type NodeFamily = Family & Own;

/** A node's name, and its addresses in each IP family. The bridges of all nodes are one network. */
export interface NodeIdentity {
  readonly name: string;
  /**
   * The MAC address of the bridge. Without a fixed one it would change with each Pod, and peers would keep the old one.
   */
  readonly hardware: string;
  /** The first has the primary addresses. */
  readonly families: readonly [NodeFamily, ...NodeFamily[]];
}

const IPV4: Family = {
  network: '10.88.0.0/16',
  services: '10.96.0.0/16',
  kubernetes: '10.96.0.1',
  dns: '10.96.0.10',
  loopback: '127.0.0.1',
  any: '0.0.0.0',
  everywhere: '0.0.0.0/0',
};
const IPV6: Family = {
  network: 'fd10:88::/64',
  services: 'fd10:96::/108',
  kubernetes: 'fd10:96::1',
  dns: 'fd10:96::a',
  loopback: '::1',
  any: '::',
  everywhere: '::/0',
};

const IPV4_PODS = [
  { first: '10.88.1.1', last: '10.88.127.254' },
  { first: '10.88.128.1', last: '10.88.191.254' },
  { first: '10.88.192.1', last: '10.88.254.254' },
] as const;

/** The node of this number: 1 is the first. @throws RangeError */
export function nodeOf(number: number, addresses: Addresses = 'IPv4'): NodeIdentity {
  const pods = IPV4_PODS[number - 1];
  if (pods === undefined) throw new RangeError(`a cluster has up to ${IPV4_PODS.length} nodes`);
  const v4 = { ...IPV4, address: `10.88.0.${number}`, pods };
  const own6 = { first: `fd10:88::${number}:1`, last: `fd10:88::${number}:fffe` };
  const v6 = { ...IPV6, address: `fd10:88::${number}`, pods: own6 };
  const families = { IPv4: [v4], 'IPv6-only': [v6], 'dual-stack': [v4, v6] } as const;
  return { name: `node${number}`, hardware: `0a:58:0a:58:00:0${number}`, families: families[addresses] };
}

export const FIRST_NODE: NodeIdentity = nodeOf(1);
/** The address of the first node of an IPv4 cluster, at which Pods and programs reach servers in the node's network. */
export const NODE_ADDRESS: string = FIRST_NODE.families[0].address;

/** A list of addresses or networks, as Kubernetes' flags take them. */
export function eachOf({ families }: NodeIdentity, of: (family: NodeFamily) => string): string {
  return families.map(of).join(',');
}

/** The addresses of Services, as the API server needs them. */
export function servicesOf(node: NodeIdentity): { readonly services: string; readonly kubernetes: readonly string[] } {
  return {
    services: eachOf(node, ({ services }) => services),
    kubernetes: node.families.map(({ kubernetes }) => kubernetes),
  };
}

/** The address on which a server of the node listens to all families. */
export function anyOf({ families }: NodeIdentity): string {
  return families.some(({ any }) => any === IPV6.any) ? IPV6.any : IPV4.any;
}

export function httpsAt(host: string, port: number): string {
  return `https://${formatAddress({ host, port })}`;
}
