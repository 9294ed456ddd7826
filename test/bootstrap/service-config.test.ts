import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readServiceConfig } from '../../src/bootstrap/service-config.ts';
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

test('a password is the one that the service will log in with', async () => {
  const config = await configOf('[keystone_authtoken]\npassword = pa$$w\n');
  assert.equal(config.valueAt(PASSWORD), 'pa$w');
});

test('a $ that oslo.config would stumble over is refused with the file and the option, and without the password', async () => {
  const config = await configOf('[keystone_authtoken]\npassword = pa$hunter2\n');
  assert.throws(
    () => config.valueAt(PASSWORD),
    (error: unknown) =>
      error instanceof ConfigError &&
      /glance-api\.conf: .*\[keystone_authtoken\] password: .*\$\$/.test(error.message) &&
      !error.message.includes('hunter2'),
  );
});

test('a variable counts before the file, as for the service, and is what messages name', async () => {
  const variables = { OS_KEYSTONE_AUTHTOKEN__PASSWORD: 'of$$variable' };
  const config = await configOf('[keystone_authtoken]\npassword = of-file\nusername = glance\n', variables);
  assert.equal(config.valueAt(PASSWORD), 'of$variable');
  assert.equal(config.nameOf([PASSWORD]), 'OS_KEYSTONE_AUTHTOKEN__PASSWORD');
  assert.equal(config.valueAt({ ...PASSWORD, key: 'username' }), 'glance');
});

test('a variable is enough where the file is not here, and is not looked at for a service without oslo.config', async () => {
  const variables = { OS_KEYSTONE_AUTHTOKEN__PASSWORD: 'of-variable' };
  const absent = await readServiceConfig({ ...glance, configFile: '/nowhere/a.conf' }, undefined, variables);
  assert.equal(absent.valueAt(PASSWORD), 'of-variable');
  const yaml = await readServiceConfig({ ...glance, configFile: '/nowhere/a.yaml' }, undefined, variables);
  assert.equal(yaml.valueAt(PASSWORD), undefined);
});
