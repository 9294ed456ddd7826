import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canUnpackDebian } from '../../tools/debian.ts';
import { canRunGalera, startGalera } from '../cluster/galera.ts';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { canRunRabbitmq, startRabbitmq } from '../cluster/rabbitmq.ts';
import {
  galeraVersion,
  MARIADB_VERSIONS,
  mariadbVersion,
  RABBITMQ_VERSIONS,
  rabbitmqVersion,
  type GaleraVersion,
  type RabbitmqVersion,
} from '../cluster/server-versions.ts';
import { amqpLogin } from '../support/amqp-login.ts';

/** `4.3` of `4.3.6`: what the choice of a version promises. */
const minorOf = (version: unknown) => /^\d+\.\d+/.exec(String(version))?.[0];

const skip = {
  rabbitmq: (await canRunRabbitmq()) ?? false,
  mariadb: (await canRunMariadb()) ?? false,
  galera: (await canRunGalera()) ?? false,
};

// The support matrix has the versions from the names of these tests.
describe('the selected server states its version', () => {
  test('RabbitMQ', { skip: skip.rabbitmq }, async (t) => {
    await using broker = await startRabbitmq();
    const version = (await broker.control(['version'])).trim();
    await t.test(`RabbitMQ ${version}`, () => assert.equal(minorOf(version), rabbitmqVersion()));
  });

  test('MariaDB', { skip: skip.mariadb }, async (t) => {
    await using mariadb = await startMariadb();
    const [row] = await mariadb.query('SELECT VERSION() AS version');
    const version = String(row?.['version']);
    await t.test(`MariaDB ${version}`, () => assert.equal(minorOf(version), mariadbVersion()));
  });

  test('Galera', { skip: skip.galera }, async (t) => {
    await using galera = await startGalera({ nodes: 1 });
    // It leaves out the number of its API, which its packages have: `4.23(rXXXX)`.
    const version = `26.${await galera.nodes[0]!.status('wsrep_provider_version')}`;
    await t.test(`Galera ${version}`, () => assert.match(version, /^26\.4\.\d+/));
  });
});

describe("servers of Debian's suites", { skip: (await canUnpackDebian()) ?? false }, () => {
  for (const version of Object.keys(RABBITMQ_VERSIONS) as RabbitmqVersion[])
    test(`RabbitMQ ${version} accepts a login`, async () => {
      await using broker = await startRabbitmq({ version });
      assert.equal(await amqpLogin(broker.port, 'guest', 'guest', '/'), 'open');
      assert.equal(minorOf(await broker.control(['version'])), version);
    });

  for (const version of Object.keys(MARIADB_VERSIONS) as GaleraVersion[])
    test(`MariaDB ${version} is a server alone, and forms a Galera cluster`, async () => {
      await using single = await startMariadb({ version });
      const [row] = await single.query('SELECT VERSION() AS version');
      assert.equal(minorOf(row?.['version']), version);
      await using galera = await startGalera({ nodes: 2, version });
      const rows = await Promise.all(galera.nodes.map((node) => node.query('SELECT VERSION() AS version')));
      assert.deepEqual(
        rows.map((each) => minorOf(each[0]?.['version'])),
        [version, version],
      );
    });
});

describe('the selected version', () => {
  test('is that of RABBITMQ and MARIADB, and an unknown one is rejected with the known ones', () => {
    assert.equal(rabbitmqVersion({ RABBITMQ: '4.0' }), '4.0');
    assert.equal(rabbitmqVersion({ RABBITMQ: '' }), rabbitmqVersion({}));
    assert.equal(galeraVersion({ MARIADB: '10.11' }), '10.11');
    assert.equal(mariadbVersion({ MARIADB: '11.4' }), '11.4');
    assert.throws(() => rabbitmqVersion({ RABBITMQ: '4.2' }), /RABBITMQ=4\.2: there is 4\.3, 4\.0, 3\.10/);
    assert.throws(() => galeraVersion({ MARIADB: '11.4' }), /without Galera/);
  });
});
