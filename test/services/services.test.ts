import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES, serviceNamed } from '../../src/services/index.ts';

test('every service has a name of its own and is found by it', () => {
  for (const service of SERVICES) assert.equal(serviceNamed(service.name), service);
});

test("every service's configuration file is an absolute path", () => {
  for (const { name, configFile } of SERVICES) assert.ok(configFile.startsWith('/'), name);
});

test('every check has a code for a complete schema', () => {
  for (const { name, migration } of SERVICES) {
    if (migration.check !== undefined) assert.ok(Object.values(migration.check.codes).includes('complete'), name);
  }
});

test('an unknown name is none', () => {
  assert.equal(serviceNamed('keyston'), undefined);
});
