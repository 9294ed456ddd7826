import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeAuthority } from '../cluster/authority.ts';
import { startKeystone, type KeystoneServer } from '../cluster/keystone-server.ts';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines } from '../support/helper.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import { freePort } from '../../tools/port.ts';
import type { Finished } from '../../tools/process.ts';
import { adminOf, newSite, type Admin } from './kolla-bootstrap-support.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

/** The messages of all log lines. */
function said({ stderr }: Finished): string {
  return logLines(stderr)
    .map(({ msg }) => msg)
    .join('\n');
}

function isDone(finished: Finished): void {
  assert.equal(finished.code, 0, finished.stderr);
  assert.ok(!finished.stderr.includes('hidden'), 'a secret was shown');
}

describe('kolla-bootstrap and a real Keystone', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let keystone: KeystoneServer;
  let admin: Admin;

  before(async () => {
    keystone = stack.use(await startKeystone(stack.use(await sharedMariadb())));
    admin = await adminOf(keystone);
  });
  after(() => stack.disposeAsync());

  test('on an empty cloud: the plan shows everything, a run creates it, and the account gets a token with its roles', async () => {
    await using site = await newSite(keystone, admin);
    const { name } = site;
    const plan = await site.plan();
    assert.equal(plan.code, 1, plan.stderr);
    assert.match(
      plan.stdout,
      new RegExp(`^\\+ user ${name}\n[^]*^\\+ endpoint ${name} internal RegionOne\n    url: http://${name}:8780$`, 'm'),
    );
    assert.deepEqual(site.writes(), [], 'a plan writes nothing');
    assert.equal(await admin.login(name, site.password), 401);

    isDone(await site.bootstrap());
    assert.equal(typeof (await admin.login(name, site.password)), 'string');
    assert.deepEqual((await site.endpoints()).map(({ interface: side, url }) => `${side} ${url}`).toSorted(), [
      `internal http://${name}:8780`,
      'public https://api.example.com:8780',
    ]);
  });

  // These tests can run concurrently, because the shared project and roles exist already.
  describe('cases with a separate service each', { concurrency: 3 }, () => {
    test('a second run only reads, and an older token still works', async () => {
      await using site = await newSite(keystone, admin);
      isDone(await site.bootstrap());
      const token = String(await admin.login(site.name, site.password));
      site.proxy.forget();
      const again = await site.bootstrap();
      isDone(again);
      assert.match(said(again), /up to date$/);
      assert.ok(site.proxy.passed.length > 5);
      assert.deepEqual(site.writes(), []);
      assert.equal(await admin.use(token), 200);
      assert.equal((await site.plan()).code, 0);
    });

    test('another URL is shown, then changed in place: same endpoint, and tokens stay valid', async () => {
      await using site = await newSite(keystone, admin);
      isDone(await site.bootstrap());
      const old = await site.endpoints();
      const token = String(await admin.login(site.name, site.password));
      site.proxy.forget();
      const elsewhere = ['--public-url', 'https://new.example.com'];
      assert.match(
        (await site.plan(elsewhere)).stdout,
        /^ {4}url: - https:\/\/api\.example\.com:8780\n {9}\+ https:\/\/new\.example\.com$/m,
      );
      isDone(await site.bootstrap(elsewhere));
      assert.deepEqual(site.writes(), ['PATCH /v3/endpoints/ID']);
      const moved = await site.endpoints();
      assert.deepEqual(moved.map(({ id }) => id).toSorted(), old.map(({ id }) => id).toSorted());
      assert.ok(moved.some(({ url }) => url === 'https://new.example.com'));
      assert.equal(await admin.use(token), 200);
    });

    test('sets a password that Keystone rejects with 401, and only once', async () => {
      await using site = await newSite(keystone, admin);
      isDone(await site.bootstrap());
      const old = String(await admin.login(site.name, site.password));
      site.proxy.forget();
      const given = { KOLLA_BOOTSTRAP_PASSWORD: 'hidden-new' };
      const plan = await site.plan(['-o', 'json'], given);
      const { changes } = JSON.parse(plan.stdout) as { changes: { kind: string }[] };
      assert.deepEqual(
        changes.map(({ kind }) => kind),
        ['password of user'],
      );
      assert.ok(!plan.stdout.includes('hidden'));
      isDone(await site.bootstrap([], given));
      assert.deepEqual(site.writes(), ['PATCH /v3/users/ID']);
      assert.equal(typeof (await admin.login(site.name, 'hidden-new')), 'string');
      assert.equal(await admin.use(old), 401, 'which is why it is not set for nothing');
    });

    test('if some objects exist or were created manually, only the others are created, and a disabled object is shown before it is enabled', async () => {
      await using site = await newSite(keystone, admin);
      const { name, password } = site;
      const { user } = (await admin.ask('POST', '/users', {
        user: { name, password, domain_id: 'default', enabled: false },
      })) as {
        user: { id: string };
      };
      const { service } = (await admin.ask('POST', '/services', {
        service: { name, type: `type-${name}`, description: 'by hand' },
      })) as { service: { id: string } };
      const endpoint = { service_id: service.id, interface: 'public', region_id: 'RegionOne', url: 'http://by-hand' };
      await admin.ask('POST', '/endpoints', { endpoint });
      const done = await site.bootstrap();
      isDone(done);
      const lines = said(done);
      assert.match(lines, new RegExp(`update user ${name}: enabled false -> true`));
      assert.match(lines, new RegExp(`update endpoint ${name} public RegionOne: url http://by-hand -> https://api`));
      assert.deepEqual(
        site.writes().filter((line) => line.startsWith('POST')),
        ['POST /v3/endpoints'],
      );
      const [found] = await admin.list(`/users?name=${name}`);
      assert.deepEqual([found?.id, found?.['enabled']], [user.id, true]);
      assert.equal((await admin.list(`/services?name=${name}`))[0]?.['description'], 'by hand');
    });

    test('creates nothing twice when responses to creations are lost', async () => {
      await using site = await newSite(keystone, admin);
      const lost = new Set<string>();
      site.proxy.before = ({ method, path }) => {
        if (method !== 'POST' || path.startsWith('/v3/auth') || lost.has(path)) return Promise.resolve(undefined);
        lost.add(path);
        return Promise.resolve('lose');
      };
      isDone(await site.bootstrap());
      assert.deepEqual([...lost], ['/v3/users', '/v3/services', '/v3/endpoints']);
      assert.equal((await admin.list(`/services?name=${site.name}`)).length, 1);
      assert.equal((await site.endpoints()).length, 2);
    });

    test('re-creates a service that is deleted meanwhile', async () => {
      await using site = await newSite(keystone, admin);
      const [early, between] = ['before its endpoints', 'after the first of them'];
      const left = [early, between];
      site.proxy.before = async ({ method, path }) => {
        if (method !== 'POST' || path !== '/v3/endpoints') return undefined;
        const endpoints = (await site.endpoints()).length;
        if (left[0] === early || (left[0] === between && endpoints === 1)) {
          left.shift();
          for (const { id } of await admin.list(`/services?name=${site.name}`))
            await admin.ask('DELETE', `/services/${id}`);
        }
        return undefined;
      };
      isDone(await site.bootstrap());
      assert.deepEqual(left, []);
      assert.equal((await site.endpoints()).length, 2);
    });

    test('three concurrent runs create everything once', async () => {
      await using site = await newSite(keystone, admin);
      // Each run reads and finds nothing before any of them may create an object.
      let seen = 0;
      const all = Promise.withResolvers<void>();
      site.proxy.before = async ({ method, path }) => {
        if (method === 'POST' && path === '/v3/services') {
          if (++seen === 3) all.resolve();
          await all.promise;
        }
        return undefined;
      };
      for (const done of await Promise.all([site.bootstrap(), site.bootstrap(), site.bootstrap()])) isDone(done);
      assert.ok(seen >= 3);
      assert.equal((await admin.list(`/services?name=${site.name}`)).length, 1);
      assert.equal((await site.endpoints()).length, 2);
      assert.equal((await admin.list(`/users?name=${site.name}`)).length, 1);
    });

    test('reports duplicates with their ids, and changes neither', async () => {
      await using site = await newSite(keystone, admin);
      isDone(await site.bootstrap());
      const [service] = await admin.list(`/services?name=${site.name}`);
      const endpoint = { service_id: service!.id, interface: 'public', region_id: 'RegionOne', url: 'http://second' };
      await admin.ask('POST', '/endpoints', { endpoint });
      site.proxy.forget();
      for (const { code, stderr } of [await site.bootstrap(), await site.plan()]) {
        assert.equal(code, 69);
        for (const { id } of (await site.endpoints()).filter((one) => one.interface === 'public'))
          assert.ok(stderr.includes(id));
        assert.match(stderr, /has 2 endpoints svc\d+ public RegionOne.*openstack endpoint delete ID/);
      }
      await admin.ask('POST', '/services', { service: { name: 'other', type: `type-${site.name}` } });
      const twice = await site.bootstrap();
      assert.match(twice.stderr, /has 2 services of type type-svc\d+.*openstack service delete ID/);
      assert.deepEqual(site.writes(), []);
    });

    test('does not create a service type that exists under another name', async () => {
      await using site = await newSite(keystone, admin);
      await admin.ask('POST', '/services', { service: { name: 'legacy', type: `type-${site.name}` } });
      const { code, stderr } = await site.bootstrap(['--only', 'endpoints']);
      assert.equal(code, 69);
      assert.match(stderr, /under the name legacy, not svc\d+: openstack service set --name svc\d+ [0-9a-f]{32}/);
    });

    test('heat and ironic: a domain with its own admin, and a role on the system', async () => {
      await using site = await newSite(keystone, admin);
      await using directory = await privateDirectory('passwords');
      const file = join(directory.path, 'domain-admin');
      await writeFile(file, 'hidden-2\n');
      const env = { KOLLA_BOOTSTRAP_PASSWORD: 'hidden-1', KOLLA_BOOTSTRAP_PUBLIC_URL: 'http://{name}:{port}{path}' };
      const inKeystone = ['--only', 'users', '--only', 'endpoints'];
      const heat = ['heat', ...inKeystone, '--password-file', `heat_domain_admin=${file}`];
      isDone(await site.other(heat, env));
      const [domain] = await admin.list('/domains?name=heat_user_domain');
      const [user] = await admin.list(`/users?name=heat_domain_admin&domain_id=${domain!.id}`);
      const [role] = await admin.list('/roles?name=admin');
      await admin.ask('HEAD', `/domains/${domain!.id}/users/${user!.id}/roles/${role!.id}`);
      isDone(await site.other(['ironic', ...inKeystone], env));
      const [ironic] = await admin.list('/users?name=ironic');
      const [service] = await admin.list('/roles?name=service');
      await admin.ask('HEAD', `/system/users/${ironic!.id}/roles/${service!.id}`);
      site.proxy.forget();
      isDone(await site.other(heat, env));
      isDone(await site.other(['ironic', ...inKeystone], env));
      assert.deepEqual(site.writes(), []);
    });

    test('delete shows what it would remove, and removes it with --yes; other regions and shared objects stay', async () => {
      await using site = await newSite(keystone, admin);
      const { name } = site;
      const both = [
        '--region',
        'RegionOne',
        '--region',
        'two',
        '--public-url',
        'http://{region}',
        '--internal-url',
        'http://i.{region}',
      ];
      isDone(await site.bootstrap(both));
      site.proxy.forget();
      const shown = await site.delete();
      assert.equal(shown.code, 1);
      assert.match(
        shown.stdout,
        new RegExp(`^- endpoint ${name} public RegionOne http://RegionOne$[^]*^- user ${name}$`, 'm'),
      );
      assert.deepEqual(site.writes(), []);
      isDone(await site.delete(['--yes', '--only', 'endpoints']));
      assert.deepEqual((await site.endpoints()).map(({ url }) => url).toSorted(), ['http://i.two', 'http://two']);
      isDone(await site.delete(['--yes', '--region', 'two']));
      assert.deepEqual(await admin.list(`/services?name=${name}`), []);
      assert.deepEqual(await admin.list(`/users?name=${name}`), []);
      assert.equal((await admin.list('/projects?name=service')).length, 1);
      site.proxy.forget();
      const again = await site.delete(['--yes']);
      isDone(again);
      assert.match(said(again), /nothing to remove/);
      assert.deepEqual(site.writes(), []);
    });

    test('accepts an application credential, a token and clouds.yaml instead of a password', async () => {
      await using site = await newSite(keystone, admin);
      await using directory = await privateDirectory('clouds');
      const [self] = await admin.list('/users?name=admin');
      const { application_credential: credential } = (await admin.ask(
        'POST',
        `/users/${self!.id}/application_credentials`,
        {
          application_credential: { name: site.name, secret: 'hidden-secret' },
        },
      )) as { application_credential: { id: string } };
      const none = { OS_USERNAME: '', OS_PASSWORD: '', OS_PROJECT_NAME: '' };
      const id = { OS_APPLICATION_CREDENTIAL_ID: credential.id, OS_APPLICATION_CREDENTIAL_SECRET: 'hidden-secret' };
      isDone(await site.bootstrap([], { ...none, ...id }));
      const auth = {
        auth_url: `http://127.0.0.1:${site.proxy.port}`,
        username: 'admin',
        password: keystone.adminPassword,
        project_name: 'admin',
      };
      const file = join(directory.path, 'clouds.yaml');
      await writeFile(file, JSON.stringify({ clouds: { here: { auth, region_name: 'RegionOne' } } }));
      const cloud = { OS_AUTH_URL: '', OS_CLOUD: 'here', OS_CLIENT_CONFIG_FILE: file };
      const byCloud = await site.plan([], { ...none, ...cloud });
      assert.equal(byCloud.code, 0, byCloud.stderr);
      const token = {
        OS_AUTH_URL: '',
        OS_URL: `http://127.0.0.1:${site.proxy.port}/v3`,
        OS_TOKEN: String(await adminToken(keystone)),
      };
      const byToken = await site.plan([], { ...none, ...token });
      assert.equal(byToken.code, 0, byToken.stderr);
    });

    test('https with the CA of OS_CACERT; without it the run fails at once, with the reason', async () => {
      await using site = await newSite(keystone, admin);
      await using directory = await privateDirectory('ca');
      const authority = makeAuthority('of a test');
      await using tls = await startHttpProxy(
        keystone.port,
        authority.issue({ commonName: 'keystone', hosts: ['127.0.0.1'] }),
      );
      const file = join(directory.path, 'ca.pem');
      await writeFile(file, authority.certificate);
      const env = { OS_AUTH_URL: `https://127.0.0.1:${tls.port}/v3` };
      isDone(await site.bootstrap([], { ...env, OS_CACERT: file }));
      const untrusted = await site.bootstrap([], env);
      assert.equal(untrusted.code, 65);
      assert.match(untrusted.stderr, /cannot trust Keystone at https:.*not signed by a CA of this image's CA bundle/);
      const missing = await site.bootstrap([], { ...env, OS_CACERT: `${file}.none` });
      assert.deepEqual([missing.code, /cannot read .*ca\.pem\.none/.test(missing.stderr)], [65, true]);
    });

    test('the errors for 401, 403 and 404 have the fix', async () => {
      await using site = await newSite(keystone, admin);
      isDone(await site.bootstrap());
      const wrong = await site.bootstrap([], { OS_PASSWORD: 'hidden-wrong' });
      assert.equal(wrong.code, 77);
      assert.match(said(wrong), /rejects the login of user admin \(401\)/);
      await admin.ask('POST', '/users', {
        user: { name: `reader-${site.name}`, password: 'hidden', domain_id: 'default' },
      });
      const [reader] = await admin.list(`/users?name=reader-${site.name}`);
      const [role] = await admin.list('/roles?name=reader');
      const [project] = await admin.list('/projects?name=service');
      await admin.ask('PUT', `/projects/${project!.id}/users/${reader!.id}/roles/${role!.id}`);
      const as = { OS_USERNAME: `reader-${site.name}`, OS_PASSWORD: 'hidden', OS_PROJECT_NAME: 'service' };
      const reading = await site.bootstrap([], as);
      assert.equal(reading.code, 77);
      assert.match(said(reading), /user reader-svc\d+ may not .* \(403\): .*; it needs the role admin/);
      const path = await site.bootstrap([], { OS_AUTH_URL: `http://127.0.0.1:${site.proxy.port}/keystone` });
      assert.deepEqual([path.code, /no Keystone at .*\/keystone\/v3 \(404\)/.test(path.stderr)], [65, true]);
    });

    test('if Keystone never becomes available, the error at the deadline has the last state', async () => {
      await using site = await newSite(keystone, admin);
      // Long enough for one attempt on a busy machine.
      const away = { OS_AUTH_URL: `http://127.0.0.1:${await freePort()}/v3`, KOLLA_BOOTSTRAP_TIMEOUT: '20s' };
      const { code, stderr } = await site.bootstrap([], away);
      assert.equal(code, 75);
      assert.match(stderr, /could not log in to Keystone as user admin within 20s; last state .*ECONNREFUSED/);
    });

    test('a missing password fails the run before anything is created', async () => {
      await using site = await newSite(keystone, admin);
      const { code, stderr } = await site.bootstrap(['--service-config', '/dev/null']);
      assert.equal(code, 65);
      assert.match(
        stderr,
        /cannot create user svc\d+: its password is not known: give --password-file svc\d+=FILE, or set \[keystone_authtoken\] password in \/dev\/null/,
      );
      assert.deepEqual(site.writes(), []);
    });
  });

  // Runs alone: it stops the Keystone that the others use.
  test('Keystone becomes unavailable during a run and comes back: the run waits, logs why, and completes', async () => {
    await using site = await newSite(keystone, admin);
    let back: Promise<void> | undefined;
    let refused = 0;
    site.proxy.before = async ({ method, path }) => {
      if (method === 'POST' && path === '/v3/services' && refused === 0) await keystone.stop();
      else if (refused === 0) return undefined;
      // It comes back only after reads have failed too.
      if (++refused === 3) back = keystone.restart();
      return undefined;
    };
    const done = await site.bootstrap();
    await back;
    isDone(done);
    assert.match(said(done), /cannot create service svc\d+: Keystone at .*; reading again/);
    assert.match(said(done), /waiting for Keystone at [^]*Keystone is reachable again/);
    assert.equal((await admin.list(`/services?name=${site.name}`)).length, 1);
    assert.equal((await site.endpoints()).length, 2);
  });
});

async function adminToken({ url, adminPassword }: KeystoneServer): Promise<string | null> {
  const domain = { id: 'default' };
  const user = { name: 'admin', domain, password: adminPassword };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: 'admin', domain } },
  };
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/auth/tokens`, { method: 'POST', headers, body: JSON.stringify({ auth }) });
  return reply.headers.get('x-subject-token');
}
