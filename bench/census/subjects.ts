import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canRunApache, startApache } from '../../test/cluster/apache.ts';
import { canRunGalera, startGalera } from '../../test/cluster/galera.ts';
import { canRunMemcached, startMemcached } from '../../test/cluster/memcached.ts';
import { canRunRabbitmq, startRabbitmq } from '../../test/cluster/rabbitmq.ts';
import { stopGroup } from '../../test/support/stop-group.ts';
import { until } from '../../test/support/until.ts';
import type { Capability } from '../../tools/capability.ts';
import type { Running } from '../../tools/process.ts';
import type { Looks, StandIn } from './stand-in.ts';
import { HOST } from './states.ts';
import { startTls } from './world.ts';

export interface Given {
  readonly make: (looks: Looks) => Promise<StandIn>;
  /** Its `bin` is on the PATH. */
  readonly directory: string;
}

/** A healthy subject that can be made unhealthy. */
export interface Started extends AsyncDisposable {
  readonly well: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Readiness arguments, if they need a file of ours. */
  readonly readiness?: string;
  /** Liveness arguments, if they need a file of ours. */
  readonly liveness?: string;
  /** Makes it unhealthy and describes the state. */
  fail(): Promise<string>;
}

/** A container that fits no plan of states.ts. */
export interface Subject {
  readonly capability?: Capability;
  readonly isDead: boolean;
  start(given: Given): Promise<Started>;
}

const STATISTICS_PORT = 61_314;
/** Values without a default in kolla-ansible. */
export const SUBSTITUTES: Readonly<Record<string, string>> = { ADDRESS: '127.0.0.1', PORT: String(STATISTICS_PORT) };

/** A Unix socket; unhealthy is the file without its server. */
function unixSocket(name: string, path: string): Subject {
  return {
    isDead: false,
    async start({ make }) {
      await mkdir(dirname(path), { recursive: true });
      const one = await make({ name });
      await one.does(['unix', path]);
      return {
        well: `listens on ${path}`,
        async fail() {
          await one.does(['close']);
          return 'does not listen; the socket file remains';
        },
        [Symbol.asyncDispose]: () => one[Symbol.asyncDispose](),
      };
    },
  };
}

/** A program that exits with 0, then with 1. */
function program(name: string, file: string): Subject {
  return {
    isDead: false,
    async start({ make, directory }) {
      const one = await make({ name });
      const write = (text: string) => writeFile(join(directory, 'bin', file), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      await write('exit 0');
      return {
        well: `${file} ends with 0`,
        async fail() {
          await write('echo "no answer" >&2; exit 1');
          return `${file} ends with 1`;
        },
        [Symbol.asyncDispose]: () => one[Symbol.asyncDispose](),
      };
    },
  };
}

/** A proxy's TLS port, and the page requested by Kolla. */
const tlsProxy: Subject = {
  isDead: true,
  async start({ make }) {
    await using stack = new AsyncDisposableStack();
    const statistics = stack.use(await make({ name: 'haproxy' }));
    await statistics.does(['answer', STATISTICS_PORT, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok']);
    const server = stack.use(await startTls(9292));
    const moved = stack.move();
    return {
      well: 'a handshake; status 200',
      async fail() {
        await Promise.all([server[Symbol.asyncDispose](), statistics.does(['close'])]);
        return 'refuses connections';
      },
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    };
  },
};

/** An agent whose liveness is the age of its log: the process alone may hang and stay connected. */
const switchAgent: Subject = {
  isDead: true,
  async start({ make, directory }) {
    await using stack = new AsyncDisposableStack();
    const broker = stack.use(await make({ name: 'broker' }));
    await broker.does(['listen', 5672]);
    const name = 'neutron-openvswitch-agent';
    const agent = stack.use(await make({ name }));
    await agent.does(['connect', HOST, 5672]);
    const log = join(directory, `${name}.log`);
    await writeFile(log, 'Agent rpc_loop - iteration:1 completed\n');
    const moved = stack.move();
    return {
      well: 'connected to 5672; its log was just written',
      liveness: `file-age ${log} 5m`,
      async fail() {
        await agent.does(['close']);
        const longAgo = Date.now() / 1000 - 6 * 60;
        await utimes(log, longAgo, longAgo);
        return 'not connected; its log was written 6 minutes ago';
      },
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    };
  },
};

export const SPECIAL: Readonly<Record<string, Subject>> = {
  glance_tls_proxy: tlsProxy,
  keystone_fernet: program('cron', 'fernet-healthcheck.sh'),
  neutron_openvswitch_agent: switchAgent,
  nova_libvirt: unixSocket('libvirtd', '/run/libvirt/libvirt-sock'),
  openvswitch_db: unixSocket('ovsdb-server', '/run/openvswitch/db.sock'),
  openvswitch_vswitchd: program('ovs-vswitchd', 'ovs-appctl'),
};

/** A real server process; unhealthy is frozen or gone. */
function real(capability: Capability, start: () => Promise<Running>, well: string, unwell: 'frozen' | 'gone'): Subject {
  return {
    capability,
    isDead: unwell === 'gone',
    async start() {
      const running = await start();
      return {
        well,
        async fail() {
          if (unwell === 'frozen') await stopGroup(running.pid);
          else await running[Symbol.asyncDispose]();
          return unwell === 'frozen' ? 'frozen (SIGSTOP)' : 'ended';
        },
        async [Symbol.asyncDispose]() {
          if (unwell === 'frozen') process.kill(-running.pid, 'SIGCONT');
          await running[Symbol.asyncDispose]();
        },
      };
    },
  };
}

const apache = (port: number, unwell: 'frozen' | 'gone') =>
  real(canRunApache, () => startApache([port]), `Apache on ${port}`, unwell);

const rabbitmq: Subject = {
  capability: canRunRabbitmq,
  isDead: false,
  async start() {
    const broker = await startRabbitmq({ port: 5672 });
    return {
      well: 'RabbitMQ on 5672',
      async fail() {
        await stopGroup(broker.pid);
        return 'frozen (SIGSTOP)';
      },
      async [Symbol.asyncDispose]() {
        process.kill(-broker.pid, 'SIGCONT');
        await broker[Symbol.asyncDispose]();
      },
    };
  },
};

const galera: Subject = {
  capability: canRunGalera,
  isDead: true,
  async start({ directory }) {
    const cluster = await startGalera({ nodes: 1 });
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('a cluster without a node');
    const file = join(directory, 'healthcheck.cnf');
    await node.query("CREATE USER healthcheck@localhost IDENTIFIED BY 'census'");
    await writeFile(file, `[client]\nuser = healthcheck\npassword = census\nsocket = ${node.socket}\n`, {
      mode: 0o600,
    });
    return {
      well: 'MariaDB, Synced',
      readiness: `galera --defaults-file ${file}`,
      liveness: `galera --defaults-file ${file} --unless-disconnected`,
      async fail() {
        await node.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=2'");
        await until('the node to disconnect', async () => {
          return (await node.status('wsrep_cluster_status')) === 'Disconnected' || undefined;
        });
        return 'disconnected from its cluster';
      },
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    };
  },
};

/** Subjects with a real server. */
export const REAL: Readonly<Record<string, Subject>> = {
  memcached: real(canRunMemcached, () => startMemcached(11_211), 'memcached on 11211', 'gone'),
  horizon: apache(8080, 'frozen'),
  ironic_http: apache(8089, 'gone'),
  keystone_httpd: apache(5000, 'gone'),
  mariadb: galera,
  rabbitmq,
};
