import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigText } from '../../cluster/kubernetes/credentials.ts';
import { freePort } from '../../../tools/port.ts';
import type { Stage, Stages } from './stage.ts';

/** Long enough for a connection to be refused, even on a busy machine. */
const QUICK = '2s';

/** Unit tests have no Keystone: the output names the server that the command waits for. test/integration has real ones. */
export const BOOTSTRAP: Stages = {
  "kolla-bootstrap glance --admin-user root --public-url 'https://api.example.com:{port}' --internal-url 'http://{name}:{port}'":
    async (directory) => {
      const stage = await noDatabase(directory, 'glance-manage');
      return { ...stage, env: { ...stage.env, KOLLA_DB_SYNC_ADMIN_PASSWORD: 'hidden' } };
    },
  'kolla-bootstrap keystone --wait tcp://mariadb:3306 --skip users --skip endpoints': async (directory) => {
    const port = await freePort();
    return {
      ...(await noDatabase(directory, 'keystone-manage')),
      replace: { 'tcp://mariadb:3306': `tcp://127.0.0.1:${port}` },
      stderr: new RegExp(`127\\.0\\.0\\.1:${port}`),
    };
  },
  'kolla-bootstrap nova --only queue --only users --os-cloud kolla-admin --rabbitmq-admin-user openstack': async (
    directory,
  ) => {
    const auth = { auth_url: 'http://keystone:5000', username: 'admin', password: 'hidden', project_name: 'admin' };
    await writeFile(join(directory, 'clouds.yaml'), JSON.stringify({ clouds: { 'kolla-admin': { auth } } }));
    const queue = `http://127.0.0.1:${await freePort()}`;
    const env = {
      KOLLA_BOOTSTRAP_TIMEOUT: QUICK,
      KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: 'hidden',
      KOLLA_BOOTSTRAP_RABBITMQ_URL: queue,
      KOLLA_BOOTSTRAP_TRANSPORT_URL: 'rabbit://nova:hidden@rabbitmq/nova',
    };
    return { env, code: 75, stderr: new RegExp(`last state of RabbitMQ at ${queue}/: .*ECONNREFUSED`) };
  },
  'kolla-bootstrap heat --only users --password-file heat_domain_admin=/run/secrets/heat-domain-admin': noKeystone,
  'kolla-bootstrap plan glance --only users --only endpoints --public-url https://api.example.com:9292': noKeystone,
  'kolla-bootstrap plan glance --only users -o json': noKeystone,
  'kolla-bootstrap status glance': (directory) => noDatabase(directory, 'glance-manage'),
  'kolla-bootstrap status glance -o json': (directory) => noDatabase(directory, 'glance-manage'),
  'kolla-bootstrap keys create keystone': noApiServer,
  'kolla-bootstrap keys rotate keystone fernet': noApiServer,
  'kolla-bootstrap keys status keystone': noApiServer,
  'kolla-bootstrap keys rbac keystone -n openstack --service-account keystone-bootstrap': async () => ({
    stdout: /^kind: Role$[^]*\[keystone-fernet-keys, keystone-credential-keys\][^]*^kind: RoleBinding$/m,
  }),
  'kolla-bootstrap delete glance': noKeystone,
  'kolla-bootstrap delete glance --skip queue --yes': noKeystone,
  'kolla-bootstrap rabbitmq-check --node rabbit@host': async (directory) => ({
    env: await rabbitmqImage(directory),
    stderr: /RabbitMQ 4\.3\.6 may start: \/var\/lib\/rabbitmq\/mnesia has no data of rabbit@host/,
  }),
  'kolla-bootstrap rabbitmq-check --node rabbit@host --data ./mnesia --version-file ./version': async (directory) => {
    await mkdir(join(directory, 'mnesia/rabbit@host'), { recursive: true });
    await writeFile(join(directory, 'version'), '4.0.5\n');
    return {
      env: await rabbitmqImage(directory),
      code: 65,
      stderr: /RabbitMQ 4\.0\.5 -> 4\.3\.6: .*4\.0 -> 4\.2 -> 4\.3/,
    };
  },
  'kolla-bootstrap rabbitmq-prepare --rabbitmq-url http://rabbitmq:15672 --rabbitmq-admin-user openstack --rabbitmq-admin-password-file /run/secrets/rabbitmq-admin':
    async (directory) => {
      await writeFile(join(directory, 'password'), 'hidden\n');
      return await noRabbitmq(directory, { '/run/secrets/rabbitmq-admin': join(directory, 'password') }, {});
    },
  'kolla-bootstrap rabbitmq-prepare --rabbitmq-url https://rabbitmq:15672 --rabbitmq-admin-user openstack --timeout 10m':
    async (directory) =>
      await noRabbitmq(
        directory,
        { '--timeout 10m': `--timeout ${QUICK}` },
        { KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD: 'hidden' },
      ),
};

/** What finds a RabbitMQ as in an image. */
async function rabbitmqImage(directory: string): Promise<Readonly<Record<string, string>>> {
  const image = join(directory, 'image');
  await mkdir(join(image, 'rabbitmq_server-4.3.6'), { recursive: true });
  return { KOLLA_BOOTSTRAP_RABBITMQ_IMAGE: image };
}

/** The image and a login are given, but no RabbitMQ responds. */
async function noRabbitmq(
  directory: string,
  replace: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Stage> {
  const place = `127.0.0.1:${await freePort()}`;
  return {
    replace: { 'rabbitmq:15672': place, ...replace },
    env: { ...(await rabbitmqImage(directory)), KOLLA_BOOTSTRAP_TIMEOUT: QUICK, ...env },
    code: 75,
    stderr: new RegExp(`could not read /nodes within ${QUICK}; last state of RabbitMQ at https?://${place}/`),
  };
}

/** The admin's login and the service's password are given, but no Keystone responds. */
async function noKeystone(directory: string): Promise<Stage> {
  const [url, password] = [`http://127.0.0.1:${await freePort()}/v3`, join(directory, 'password')];
  await writeFile(password, 'hidden\n');
  return {
    replace: { '/run/secrets/heat-domain-admin': password },
    env: {
      OS_AUTH_URL: url,
      OS_USERNAME: 'admin',
      OS_PASSWORD: 'hidden',
      OS_PROJECT_NAME: 'admin',
      KOLLA_BOOTSTRAP_PASSWORD: 'hidden',
      KOLLA_BOOTSTRAP_TIMEOUT: QUICK,
    },
    code: 75,
    stderr: new RegExp(
      `could not log in to Keystone as user admin within ${QUICK}; last state of .* ${url}: .*ECONNREFUSED`,
    ),
  };
}

/** Everything is given except the database server. */
async function noDatabase(directory: string, program: string): Promise<Stage> {
  const port = await freePort();
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin', program), '#!/bin/sh\nexit 99\n', { mode: 0o755 });
  const { env } = await noKeystone(directory);
  return {
    env: {
      ...env,
      KOLLA_DB_SYNC_ADMIN_PASSWORD: '',
      KOLLA_DB_SYNC_CONNECTION: `mysql+pymysql://service:hidden@127.0.0.1:${port}/service`,
    },
    code: 75,
    stderr: new RegExp(`127\\.0\\.0\\.1:${port}`),
  };
}

/** A kubeconfig is given, but no API server responds. */
async function noApiServer(directory: string): Promise<Stage> {
  const [file, port] = [join(directory, 'kubeconfig'), await freePort()];
  await writeFile(file, kubeconfigText(`https://127.0.0.1:${port}`, '', { token: 'hidden' }, 'openstack'));
  return {
    env: { KUBECONFIG: file, KOLLA_BOOTSTRAP_TIMEOUT: '3s' },
    code: 75,
    stderr: /could not read Secret openstack\/keystone-fernet-keys within 3s; last state of the API server at https:.*/,
  };
}
