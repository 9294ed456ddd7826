import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readServiceConfig } from '../../src/bootstrap/service-config.ts';
import { ConfigError } from '../../src/cli/errors.ts';
import { serviceNamed } from '../../src/services/index.ts';
import { privateFolder } from '../../tools/folder.ts';

const PASSWORD = { section: 'keystone_authtoken', key: 'password' };
const glance = serviceNamed('glance')!;

async function configOf(text: string) {
  await using folder = await privateFolder('service-config');
  const file = join(folder.path, 'glance-api.conf');
  await writeFile(file, text);
  return await readServiceConfig(glance, file);
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
