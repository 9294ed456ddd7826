import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { start } from '../../../tools/process.ts';
import { freePort } from '../../../tools/port.ts';
import { listenHttp, listenTcp } from '../../support/server.ts';
import { says, type SetStage, type Stages } from './stage.ts';

const GIVEN_BACK = /^\n200 127\.0\.0\.1:\d+ 0\.\d{6} seconds\n$/;

export const HEALTHCHECKS: Stages = {
  'healthcheck_curl http://127.0.0.1:5000': async (_, stack) => {
    const { port } = stack.use(await listenHttp((_request, response) => void response.end()));
    return { replace: { '127.0.0.1:5000': `127.0.0.1:${port}` }, stdout: GIVEN_BACK };
  },
  'healthcheck_curl -u probe:hidden 127.0.0.1:9292/healthcheck': async (_, stack) => {
    const wanted = `Basic ${Buffer.from('probe:hidden').toString('base64')}`;
    const { port } = stack.use(
      await listenHttp(({ headers, url }, response) => {
        const isRight = headers.authorization === wanted && url === '/healthcheck';
        response.writeHead(isRight ? 200 : 401).end();
      }),
    );
    return { replace: { '127.0.0.1:9292': `127.0.0.1:${port}` }, stdout: GIVEN_BACK };
  },
  'healthcheck_port nova-compute 5672': connected('nova-compute', '5672'),
  "healthcheck_port 'neutron-l3-agent ' 5672 5671": connected('neutron-l3-agent', '5672'),
  'healthcheck_listen sshd 8022': listens('sshd', '8022'),
  'healthcheck_listen named 53': listens('named', '53'),
  'healthcheck_socket libvirtd /run/libvirt/libvirt-sock': bound('libvirtd', '/run/libvirt/libvirt-sock'),
  'healthcheck_socket ovsdb-server /run/openvswitch/db.sock': bound('ovsdb-server', '/run/openvswitch/db.sock'),
  'healthcheck_filemod /var/lib/kolla/heartbeat 120': written('/var/lib/kolla/heartbeat'),
  'healthcheck_filemod "/var/lib/my service/alive" 60': written('/var/lib/my service/alive'),
  healthcheck_mariadb: async () => ({
    env: { MYSQL_HOST: '127.0.0.1', MYSQL_TCP_PORT: `${await freePort()}` },
    code: 1,
    stdout: /^MariaDB Galera Cluster Node is NOT synced\n$/,
    stderr: /ECONNREFUSED|refused/,
  }),
  'healthcheck_mariadb --help': says(/MYSQL_USERNAME/),
  healthcheck_rabbitmq: async () => ({
    env: { RABBITMQ_NODE_PORT: `${await freePort()}` },
    code: 1,
    stderr: /ECONNREFUSED|refused/,
  }),
  'healthcheck_rabbitmq --help': says(/RABBITMQ_NODE_IP_ADDRESS/),
};

/** Starts a process with this name that runs a line of JavaScript. @returns the first line that it prints */
async function running(directory: string, stack: AsyncDisposableStack, name: string, script: string): Promise<string> {
  await mkdir(join(directory, 'sbin'), { recursive: true });
  const program = join(directory, 'sbin', name);
  await symlink(process.execPath, program);
  const child = stack.use(await start(program, ['-e', script], { keepOutput: true }));
  const [said] = (await once(child.child.stdout!, 'data')) as [Buffer];
  return String(said).trim();
}

function connected(name: string, word: string): SetStage {
  return async (directory, stack) => {
    const { port } = stack.use(await listenTcp(() => {}));
    const script = `require('net').connect(${port}, '127.0.0.1').on('connect', () => console.log('up')); setInterval(() => {}, 1e6)`;
    await running(directory, stack, name, script);
    return { replace: { [word]: `${port}` } };
  };
}

function listens(name: string, word: string): SetStage {
  return async (directory, stack) => {
    const script = `const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))`;
    return { replace: { [` ${word}`]: ` ${await running(directory, stack, name, script)}` } };
  };
}

function bound(name: string, path: string): SetStage {
  return async (directory, stack) => {
    const socket = join(directory, 'sock');
    const script = `require('net').createServer().listen('${socket}', () => console.log('up'))`;
    await running(directory, stack, name, script);
    return { replace: { [path]: socket } };
  };
}

function written(path: string): SetStage {
  return async (directory) => {
    const file = join(directory, 'with blank');
    await writeFile(file, '');
    return { replace: { [`"${path}"`]: `'${file}'`, [path]: `'${file}'` } };
  };
}
