import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findAccess, type Access } from '../../../src/provision/keystone/api/access.ts';
import { ACCESS_OPTIONS, type AccessOptions } from '../../../src/provision/options/access.ts';
import { resolveOptions } from '../../../src/cli/parse.ts';
import { caFileOption, tlsOption, type TlsValues } from '../../../src/cli/tls-option.ts';
import { privateDirectory } from '../../../tools/directory.ts';

const URL_AND_USER = { OS_AUTH_URL: 'http://k:5000', OS_USERNAME: 'admin', OS_PASSWORD: 'hidden' };
const PASSWORD = { ...URL_AND_USER, OS_PROJECT_NAME: 'admin' };

const TABLE = [...ACCESS_OPTIONS, tlsOption('T_TLS', 'none'), caFileOption('T_CA_FILE')];

async function access(env: NodeJS.ProcessEnv, home?: string): Promise<Access> {
  const none = { operands: [], child: [], flags: new Map() };
  return await findAccess(resolveOptions(TABLE, none, env, undefined) as unknown as AccessOptions & TlsValues, home);
}

test('accepts a password with a project, both in the domain Default unless given', async () => {
  const { proof, authUrl, who } = await access({ ...PASSWORD, OS_PROJECT_DOMAIN_ID: 'd1' });
  const user = { name: 'admin', domain: { name: 'Default' }, password: 'hidden' };
  const scope = { project: { name: 'admin', domain: { id: 'd1' } } };
  assert.deepEqual(proof, { auth: { identity: { methods: ['password'], password: { user } }, scope } });
  assert.deepEqual([authUrl.href, who], ['http://k:5000/v3', 'user admin']);
});

test('accepts system scope', async () => {
  const { proof } = await access({ ...URL_AND_USER, OS_SYSTEM_SCOPE: 'all' });
  assert.deepEqual((proof as { auth: { scope: object } }).auth.scope, { system: { all: true } });
});

test('an application credential needs no scope; given by name it also needs its user', async () => {
  const secret = { OS_AUTH_URL: 'http://k:5000/v3/', OS_APPLICATION_CREDENTIAL_SECRET: 'hidden' };
  const { proof } = await access({ ...secret, OS_APPLICATION_CREDENTIAL_ID: 'x' });
  const identity = { methods: ['application_credential'], application_credential: { id: 'x', secret: 'hidden' } };
  assert.deepEqual(proof, { auth: { identity } });
  await assert.rejects(access({ ...secret, OS_APPLICATION_CREDENTIAL_NAME: 'n' }), /OS_USERNAME/);
});

test('a token is used unchanged, at --os-url, without an auth URL', async () => {
  const { proof, apiUrl } = await access({ OS_URL: 'http://k:35357/identity', OS_TOKEN: 'hidden' });
  assert.deepEqual([proof, apiUrl.href], [{ token: 'hidden' }, 'http://k:35357/identity/v3']);
});

test('a password from a file loses its trailing line break', async () => {
  await using directory = await privateDirectory('access');
  const file = join(directory.path, 'p');
  await writeFile(file, 'hidden\n');
  const { OS_PASSWORD: _, ...rest } = PASSWORD;
  assert.deepEqual((await access({ ...rest, OS_PASSWORD_FILE: file })).secrets, ['hidden']);
  await assert.rejects(
    access({ ...PASSWORD, OS_PASSWORD_FILE: file }),
    /OS_PASSWORD and --os-password-file are both given/,
  );
});

test('reads a cloud from clouds.yaml and secure.yaml; an option takes precedence', async () => {
  await using directory = await privateDirectory('clouds');
  const config = join(directory.path, '.config/openstack');
  await mkdir(config, { recursive: true });
  const cloud = {
    auth: { auth_url: 'https://k:5000', username: 'admin', project_name: 'admin' },
    region_name: 'r2',
    cacert: '/ca',
  };
  await writeFile(join(config, 'clouds.yaml'), JSON.stringify({ clouds: { kolla: cloud } }));
  await writeFile(join(config, 'secure.yaml'), 'clouds: { kolla: { auth: { password: hidden } } }');
  const found = await access({ OS_CLOUD: 'kolla', OS_USERNAME: 'other' }, directory.path);
  assert.deepEqual(
    [found.who, found.region, found.trust.caFile, found.secrets],
    ['user other', 'r2', '/ca', ['hidden']],
  );
  const secure = { ...PASSWORD, OS_AUTH_URL: 'https://k:5000' };
  const own = { OS_CACERT: '/keystone', T_CA_FILE: '/all' };
  assert.deepEqual((await access({ ...secure, ...own })).trust, { caFile: '/keystone', insecure: false });
  assert.deepEqual((await access({ ...secure, T_CA_FILE: '/all' })).trust, { caFile: '/all', insecure: false });
  const unchecked = { ...secure, OS_CACERT: '/keystone', T_TLS: 'require' };
  assert.deepEqual((await access(unchecked)).trust, { caFile: undefined, insecure: true });
  await assert.rejects(access({ ...PASSWORD, T_TLS: 'verify' }), {
    exitCode: 64,
    message: '--tls verify contradicts OS_AUTH_URL http://k:5000: write https://, or leave --tls out',
  });
  await assert.rejects(access({ OS_CLOUD: 'kola' }, directory.path), /no cloud 'kola'; did you mean 'kolla'\?/);
});

test('an invalid clouds.yaml is reported with the line number, not with its text', async () => {
  await using directory = await privateDirectory('clouds');
  const file = join(directory.path, 'clouds.yaml');
  await writeFile(file, 'clouds:\n  kolla: {password: hidden\n');
  await assert.rejects(access({ OS_CLOUD: 'kolla', OS_CLIENT_CONFIG_FILE: file }), (error: Error) => {
    return error.message.endsWith(' is not YAML: { of line 2 is not closed') && !error.message.includes('hidden');
  });
});

for (const [what, env, says] of [
  ['nothing', {}, /OS_AUTH_URL.*OS_CLOUD.*--skip users --skip endpoints/],
  ['no user', { OS_AUTH_URL: 'http://k' }, /OS_USERNAME/],
  ['no password', { OS_AUTH_URL: 'http://k', OS_USERNAME: 'admin' }, /OS_PASSWORD/],
  ['no scope', URL_AND_USER, /OS_PROJECT_NAME/],
  ['no URL', { ...PASSWORD, OS_AUTH_URL: 'k:5000' }, /'k:5000' is not an http or https URL/],
  ['API v2.0', { ...PASSWORD, OS_AUTH_URL: 'http://k:5000/v2.0' }, /must end with \/v3/],
  ['a cloud without a file', { OS_CLOUD: 'x', OS_CLIENT_CONFIG_FILE: '/none' }, /no clouds.yaml: looked for \/none/],
] as const) {
  test(`${what}: reports what is missing and where it belongs`, async () => {
    await assert.rejects(access(env), says);
  });
}

for (const url of ['http://admin:hidden@k:5000', 'http://admin:hidden@k:x', 'admin:hidden@k:5000']) {
  test(`a URL with a user is rejected, and not shown in the message: ${url}`, async () => {
    await assert.rejects(
      access({ ...PASSWORD, OS_AUTH_URL: url }),
      ({ message }: Error) => message.startsWith('OS_AUTH_URL contains a user') && !message.includes('hidden'),
    );
  });
}

test('a token with a line break is rejected before any request', async () => {
  await assert.rejects(access({ OS_AUTH_URL: 'http://k:5000', OS_TOKEN: 'hidden\n' }), /a trailing line break\?/);
});
