import type { Stage } from '../stage.ts';
import { goneFrom, stateOf, type Api, type Client } from '../client.ts';

/** An operation of a user. Asserts its effect, and removes the objects that it created. */
export interface Operation {
  readonly title: string;
  /** @returns the observations, for the timeline */
  run(world: World): Promise<string>;
}

/** What operations work with. */
export interface World {
  readonly stage: Stage;
  /** The client with the admin's account. */
  readonly client: Client;
  readonly basis: Basis;
}

/** Objects that exist before every operation and after it. */
export interface Basis {
  readonly image: string;
  readonly small: string;
  readonly large: string;
  readonly network: string;
}

/** An object that is deleted at the end of its scope, and is gone when the deletion resolves. */
export interface Temporary extends AsyncDisposable {
  readonly id: string;
}

interface Kind {
  /** `server`, `volume`, as the client calls it. */
  readonly noun: readonly string[];
  readonly api: Api;
  /** `/servers` */
  readonly path: string;
  /** The state in which it can be used; undefined if it can be used at once. */
  readonly ready?: string;
}

const KINDS = {
  server: { noun: ['server'], api: 'nova', path: '/servers', ready: 'ACTIVE' },
  volume: { noun: ['volume'], api: 'cinder', path: '/volumes', ready: 'available' },
  volumeSnapshot: { noun: ['volume', 'snapshot'], api: 'cinder', path: '/snapshots', ready: 'available' },
  image: { noun: ['image'], api: 'glance', path: '/images' },
  flavor: { noun: ['flavor'], api: 'nova', path: '/flavors' },
  network: { noun: ['network'], api: 'neutron', path: '/networks' },
  subnet: { noun: ['subnet'], api: 'neutron', path: '/subnets' },
  router: { noun: ['router'], api: 'neutron', path: '/routers' },
  port: { noun: ['port'], api: 'neutron', path: '/ports' },
  securityGroup: { noun: ['security', 'group'], api: 'neutron', path: '/security-groups' },
  floatingIp: { noun: ['floating', 'ip'], api: 'neutron', path: '/floatingips' },
  project: { noun: ['project'], api: 'keystone', path: '/projects' },
  user: { noun: ['user'], api: 'keystone', path: '/users' },
  applicationCredential: { noun: ['application', 'credential'], api: 'keystone', path: '' },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

/** Creates an object by the client, waits until it can be used, and deletes it at the end. */
export async function temporary(client: Client, name: KindName, ...args: readonly string[]): Promise<Temporary> {
  const kind: Kind = KINDS[name];
  const id = await client.id(...kind.noun, 'create', ...args);
  const object: Temporary = {
    id,
    [Symbol.asyncDispose]: async () => {
      await client.openstack(...kind.noun, 'delete', id);
      await goneFrom(client, kind.api, `${kind.path}/${id}`);
    },
  };
  try {
    if (kind.ready !== undefined) await stateOf(client, kind.api, `${kind.path}/${id}`, kind.ready);
  } catch (error) {
    await object[Symbol.asyncDispose]();
    throw error;
  }
  return object;
}

/** A server on the basis' network. */
export async function temporaryServer(
  { client, basis }: World,
  name: string,
  ...args: readonly string[]
): Promise<Temporary> {
  const names = (options: readonly string[]) => args.some((arg) => options.includes(arg));
  const source = names(['--volume', '--image', '--snapshot']) ? [] : ['--image', basis.image];
  const link = names(['--port', '--nic', '--network']) ? [] : ['--network', basis.network];
  return await temporary(client, 'server', name, ...source, '--flavor', basis.small, ...link, ...args);
}
