import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readServiceConfig } from '../../src/provision/converge/service-config.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { serviceNamed } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';

const PASSWORD = { section: 'keystone_authtoken', key: 'password' };
const glance = serviceNamed('glance')!;

async function configOf(text: string, inherited: NodeJS.ProcessEnv = {}) {
  await using directory = await privateDirectory('service-config');
  const file = join(directory.path, 'glance-api.conf');
  await writeFile(file, text);
  return await readServiceConfig(glance, file, inherited);
}

test('the password is the one the service will use', async () => {
  const config = await configOf('[keystone_authtoken]\npassword = pa$$w\n');
  assert.equal(config.valueAt(PASSWORD), 'pa$w');
});

test('a $ that oslo.config would fail on is rejected with the file and the option, without the password', async () => {
  const config = await configOf('[keystone_authtoken]\npassword = pa$hunter2\n');
  assert.throws(
    () => config.valueAt(PASSWORD),
    (error: unknown) =>
      error instanceof ConfigError &&
      /glance-api\.conf: .*\[keystone_authtoken\] password: .*\$\$/.test(error.message) &&
      !error.message.includes('hunter2'),
  );
});

test('a variable takes precedence over the file, as for the service, and messages name it', async () => {
  const variables = { OS_KEYSTONE_AUTHTOKEN__PASSWORD: 'of$$variable' };
  const config = await configOf('[keystone_authtoken]\npassword = of-file\nusername = glance\n', variables);
  assert.equal(config.valueAt(PASSWORD), 'of$variable');
  assert.equal(config.nameOf([PASSWORD]), 'OS_KEYSTONE_AUTHTOKEN__PASSWORD');
  assert.equal(config.valueAt({ ...PASSWORD, key: 'username' }), 'glance');
});

test('a variable suffices if the file is missing, and is ignored for a service without oslo.config', async () => {
  const variables = { OS_KEYSTONE_AUTHTOKEN__PASSWORD: 'of-variable' };
  const absent = await readServiceConfig({ ...glance, configFile: '/nowhere/a.conf' }, undefined, variables);
  assert.equal(absent.valueAt(PASSWORD), 'of-variable');
  const yaml = await readServiceConfig({ ...glance, configFile: '/nowhere/a.yaml' }, undefined, variables);
  assert.equal(yaml.valueAt(PASSWORD), undefined);
});
