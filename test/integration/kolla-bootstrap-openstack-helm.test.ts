/** docs/how-to/migration-openstack-helm.md: its Job's arguments, in the state that openstack-helm's Jobs leave. */
import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { load } from 'js-yaml';
import { startKeystone, type KeystoneServer } from '../cluster/keystone-server.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { canBuildPlacementImage } from '../cluster/placement-image.ts';
import { placementTree } from '../cluster/placement-tree.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { must, type Finished } from '../../tools/process.ts';
import { adminOf, type Admin } from './kolla-bootstrap-support.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? (await canBuildPlacementImage()) ?? false;

const PAGE = new URL('../../docs/how-to/migration-openstack-helm.md', import.meta.url);
const PASSWORD = 'hidden-of-placement';
/** Values of the chart. */
const ENDPOINTS = {
  public: 'http://placement.openstack.svc.cluster.local:80/',
  internal: 'http://placement-api.openstack.svc.cluster.local:8778/',
  admin: 'http://placement-api.openstack.svc.cluster.local:8778/',
};
interface Job {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          { readonly command: string[]; readonly env: { name: string; value?: string }[] },
        ];
      };
    };
  };
}

/** The Job on the page. */
interface PageJob {
  /** Runs it with its own arguments and variables, or as another command of kolla-bootstrap. */
  readonly run: (command?: 'plan') => Promise<Finished>;
  /** The chart's script for the Job db-sync. */
  readonly dbSync: () => Promise<unknown>;
}

describe("kolla-bootstrap after openstack-helm's Jobs", { skip }, () => {
  const stack = new AsyncDisposableStack();
  let mariadb: SharedMariadb;
  let keystone: KeystoneServer;
  let admin: Admin;
  let page: string;
  let job: PageJob;

  before(async () => {
    mariadb = stack.use(await sharedMariadb());
    keystone = stack.use(await startKeystone(mariadb));
    admin = await adminOf(keystone);
    page = await readFile(PAGE, 'utf8');
    const directory = stack.use(await privateDirectory('openstack-helm')).path;
    job = await pageJob(page, directory, mariadb, keystone);
  });
  after(() => stack.disposeAsync());

  test("its plan equals the page's; the run applies it in place, and an older token stays valid", async () => {
    await leaveAsItsJobsDo(admin, mariadb, job.dbSync);
    const [, shown = ''] = /^## The first run$[^]*?^```\n([^]*?)^```$/m.exec(page) ?? [];
    const plan = await job.run('plan');
    assert.equal(plan.stdout, shown, plan.stderr);
    assert.equal(plan.code, 1, plan.stderr);
    const [endpoints, token] = [await endpointsOf(admin), await tokenOfPlacement(keystone.url)];
    const run = await job.run();
    assert.equal(run.code, 0, run.stderr);
    assert.ok(!run.stderr.includes('hidden'), 'a secret was shown');
    assert.deepEqual(await endpointsOf(admin), endpoints);
    assert.equal(await admin.use(token), 200);
    const again = await job.run('plan');
    assert.equal(again.stdout, shown.slice(0, shown.indexOf('+')), again.stderr);
  });
});

async function pageJob(
  page: string,
  directory: string,
  mariadb: SharedMariadb,
  keystone: KeystoneServer,
): Promise<PageJob> {
  const documents = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => load(text) as Job);
  const [container] = documents.find((one) => one.spec !== undefined)?.spec.template.spec.containers ?? [];
  if (container === undefined) throw new Error('the page has no Job');
  const tree = await placementTree();
  const { command, env } = await pythonOf(tree);
  const tool = join(directory, 'placement-manage');
  await writeFile(tool, `#!/bin/sh\nexec '${command}' '${join(tree, 'usr/bin/placement-manage')}' "$@"\n`);
  await chmod(tool, 0o755);
  const conf = join(directory, 'placement.conf');
  const connection = `mysql+pymysql://placement:${PASSWORD}@${mariadb.host}:${mariadb.port}/placement`;
  // Rendered from the values of the chart.
  const authtoken = ['auth_type = password', 'auth_version = v3', 'os_region_name = RegionOne', 'username = placement'];
  const service = ['project_domain_name', 'project_name', 'user_domain_name'].map((key) => `${key} = service`);
  const lines = [
    '[placement_database]',
    `connection = ${connection}`,
    '[keystone_authtoken]',
    ...authtoken,
    ...service,
  ];
  await writeFile(conf, `${lines.join('\n')}\npassword = ${PASSWORD}\n`);
  const literal = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const [, ...words] = container.command;
  const variables: NodeJS.ProcessEnv = {
    ...env,
    PATH: `${directory}:${process.env['PATH']}`,
    ...(Object.fromEntries(literal) as NodeJS.ProcessEnv),
    KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
    // The Secret placement-keystone-admin.
    OS_AUTH_URL: keystone.url,
    OS_DEFAULT_DOMAIN: 'default',
    OS_ENDPOINT_TYPE: 'internal',
    OS_INTERFACE: 'internal',
    OS_PASSWORD: keystone.adminPassword,
    OS_PROJECT_DOMAIN_NAME: 'default',
    OS_PROJECT_NAME: 'admin',
    OS_REGION_NAME: 'RegionOne',
    OS_USER_DOMAIN_NAME: 'default',
    OS_USERNAME: 'admin',
  };
  return {
    run: (name) => {
      const line = [...(name === undefined ? [] : [name]), ...words, `--service-config=${conf}`];
      return runHelper('kolla-bootstrap', line, { env: variables });
    },
    dbSync: () => must(tool, ['--config-file', conf, 'db', 'sync'], { env: { ...variables } }),
  };
}

/** The state that the Jobs db-init, db-sync, ks-user, ks-service and ks-endpoints of the chart `placement` leave. */
async function leaveAsItsJobsDo(admin: Admin, mariadb: SharedMariadb, sync: () => Promise<unknown>): Promise<void> {
  await mariadb.query('CREATE DATABASE IF NOT EXISTS placement');
  await mariadb.query(`CREATE USER IF NOT EXISTS 'placement'@'%' IDENTIFIED BY '${PASSWORD}'`);
  await mariadb.query("GRANT ALL ON `placement`.* TO 'placement'@'%'");
  await sync();
  const make = async (path: string, kind: string, body: object): Promise<string> => {
    const made = (await admin.ask('POST', path, { [kind]: body }))[kind] as { id: string };
    return made.id;
  };
  const domain = await make('/domains', 'domain', { name: 'service', description: 'Domain for RegionOne/service' });
  const project = await make('/projects', 'project', { name: 'service', domain_id: domain });
  const account = { name: 'placement', domain_id: domain, default_project_id: project, password: PASSWORD };
  const user = await make('/users', 'user', account);
  for (const role of ['admin', 'member']) {
    const [found] = await admin.list(`/roles?name=${role}`);
    await admin.ask('PUT', `/projects/${project}/users/${user}/roles/${found?.id}`);
  }
  const description = 'RegionOne: placement (placement) service';
  const service = await make('/services', 'service', { name: 'placement', type: 'placement', description });
  for (const [side, url] of Object.entries(ENDPOINTS)) {
    await make('/endpoints', 'endpoint', { service_id: service, interface: side, url, region_id: 'RegionOne' });
  }
}

async function endpointsOf(admin: Admin): Promise<string[]> {
  const [service] = await admin.list('/services?name=placement');
  const all = await admin.list(`/endpoints?service_id=${service?.id}`);
  return all.map(({ id, url, interface: side }) => `${id} ${String(side)} ${String(url)}`).toSorted();
}

async function tokenOfPlacement(url: string): Promise<string> {
  const domain = { name: 'service' };
  const user = { name: 'placement', domain, password: PASSWORD };
  const scope = { project: { name: 'service', domain } };
  const reply = await fetch(`${url}/auth/tokens?nocatalog`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
  });
  await reply.text();
  return reply.headers.get('x-subject-token') ?? '';
}
