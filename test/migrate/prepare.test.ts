import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { MigrationOptions } from '../../src/migrate/options/options.ts';
import { prepareSync } from '../../src/migrate/prepare.ts';
import { serviceNamed } from '../../src/catalog/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';

const URL_OF_FILE = 'mysql+pymysql://keystone:of-file@old-db/keystone';
const URL_OF_VARIABLE = 'mysql+pymysql://keystone:of-variable@new-db/keystone';
const URL_GIVEN = 'mysql+pymysql://keystone:given@given-db/keystone';

const OPTIONS = {
  host: [],
  galeraDonor: 'ok',
  phase: 'all',
  release: '',
  afterRollout: [],
  migrateAs: 'own',
  accountHost: ['%'],
  lock: 'row',
  lockLoss: 40_000,
  lease: 60_000,
} as unknown as MigrationOptions;

interface Case {
  readonly options?: Partial<MigrationOptions>;
  readonly inherited?: NodeJS.ProcessEnv;
  readonly configFile?: string;
}

/** The host whose database is locked, the URLs passed to the tool, and the log. */
async function prepared({ options = {}, inherited = {}, configFile }: Case) {
  await using directory = await privateDirectory('prepare');
  const file = join(directory.path, 'keystone.conf');
  await writeFile(file, `[database]\nconnection = ${URL_OF_FILE}\n`);
  const { log, said } = recordedLog();
  const service = { ...serviceNamed('keystone')!, configFile: configFile ?? file };
  const serviceConfig = options.serviceConfig === 'FILE' ? { serviceConfig: file } : {};
  const asked = { service, options: { ...OPTIONS, ...options, ...serviceConfig }, runsTool: false };
  using made = await prepareSync(asked, { log, inherited });
  const { target, childEnv } = made.plan;
  const at = (target.places ?? [target])[0]!;
  const toolOf = (...more: Parameters<typeof childEnv>) => childEnv(...more)['OS_DATABASE__CONNECTION'];
  return {
    locks: at.host,
    told: toolOf(at),
    toldAs: toolOf(at, { user: 'm', password: 'x' }),
    said: said(),
    redact: made.redact,
  };
}

const INHERITED = { OS_DATABASE__CONNECTION: URL_OF_VARIABLE };

test('the database in the variable that takes precedence for the tool is locked, which is logged without its password', async () => {
  const { locks, told, toldAs, said, redact } = await prepared({ inherited: INHERITED });
  assert.deepEqual([locks, told], ['new-db', URL_OF_VARIABLE]);
  assert.equal(toldAs, 'mysql+pymysql://m:x@new-db/keystone');
  assert.match(said, /database URL from OS_DATABASE__CONNECTION/);
  assert.doesNotMatch(said, /of-variable/);
  assert.equal(redact('of-variable'), '***');
});

test('the variable takes precedence even if the user names the file', async () => {
  const { locks, told } = await prepared({ inherited: INHERITED, options: { serviceConfig: 'FILE' } });
  assert.deepEqual([locks, told], ['new-db', URL_OF_VARIABLE]);
});

test('with the variable the file may be missing, unless the user names it', async () => {
  const { locks } = await prepared({ inherited: INHERITED, configFile: '/nowhere/keystone.conf' });
  assert.equal(locks, 'new-db');
  const options = { serviceConfig: '/nowhere/keystone.conf' };
  await assert.rejects(prepared({ inherited: INHERITED, options }), /cannot read \/nowhere\/keystone\.conf/);
});

test('a given URL and host take precedence over the variable, and are passed to the tool', async () => {
  const given = await prepared({ inherited: INHERITED, options: { connection: URL_GIVEN } });
  assert.deepEqual([given.locks, given.told], ['given-db', URL_GIVEN]);
  const moved = await prepared({ inherited: INHERITED, options: { host: ['n1'] } });
  assert.deepEqual([moved.locks, moved.told], ['n1', 'mysql+pymysql://keystone:of-variable@n1:3306/keystone']);
});

test('without a variable, values that the tool finds itself are not passed', async () => {
  const { locks, told } = await prepared({});
  assert.deepEqual([locks, told], ['old-db', undefined]);
});

test('an empty variable is reported: the tool would use it, and not the file', async () => {
  await assert.rejects(
    prepared({ inherited: { OS_DATABASE__CONNECTION: '' } }),
    /keystone\.conf: \[database\] connection \(OS_DATABASE__CONNECTION is empty\) is not set/,
  );
});

test('a variable is ignored for a service without oslo.config', async () => {
  await using directory = await privateDirectory('prepare');
  const configFile = join(directory.path, 'keystone.yaml');
  await writeFile(configFile, `database: { connection: '${URL_OF_FILE}' }\n`);
  const { locks } = await prepared({ inherited: INHERITED, configFile });
  assert.equal(locks, 'old-db');
});
