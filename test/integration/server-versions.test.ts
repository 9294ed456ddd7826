import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canUnpackDebian } from '../../tools/debian.ts';
import { startGalera } from '../cluster/galera.ts';
import { startMariadb } from '../cluster/mariadb.ts';
import { startRabbitmq } from '../cluster/rabbitmq.ts';
import {
  galeraVersion,
  MARIADB_VERSIONS,
  RABBITMQ_VERSIONS,
  rabbitmqVersion,
  type GaleraVersion,
  type RabbitmqVersion,
} from '../cluster/server-versions.ts';
import { amqpLogin } from '../support/amqp-login.ts';

/** The first two numbers, which are what a pin promises. */
const minorOf = (version: unknown) => /^\d+\.\d+/.exec(String(version))?.[0];

describe("servers of Debian's suites", { skip: (await canUnpackDebian()) ?? false }, () => {
  for (const version of Object.keys(RABBITMQ_VERSIONS) as RabbitmqVersion[])
    test(`RabbitMQ ${version} accepts a login and states its version`, async () => {
      await using broker = await startRabbitmq({ version });
      assert.equal(await amqpLogin(broker.port, 'guest', 'guest', '/'), 'open');
      assert.equal(minorOf(await broker.control(['version'])), version);
    });

  for (const version of Object.keys(MARIADB_VERSIONS) as GaleraVersion[])
    test(`MariaDB ${version} forms a Galera cluster and states its version`, async () => {
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
    assert.equal(galeraVersion({ MARIADB: '11.8' }), '11.8');
    assert.throws(() => rabbitmqVersion({ RABBITMQ: '4.2' }), /RABBITMQ=4\.2: there is 4\.3, 4\.0, 3\.10/);
    assert.throws(() => galeraVersion({ MARIADB: '11.4' }), /without Galera/);
  });
});
