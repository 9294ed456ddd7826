/**
 * The charts of the quickstart on a node whose Pods and Services have addresses of one IP family or of both: they start,
 * and waits, probes, the sidecar, migrations and log shipping work at the addresses themselves.
 */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Addresses } from '../../../build/docs/support.ts';
import { formatAddress } from '../../../src/net/dial/address.ts';
import { must } from '../../../tools/process.ts';
import { FAMILIES } from '../../cluster/kubernetes/network.ts';
import { fileLimit } from '../../support/file-limit.ts';
import { until } from '../../support/until.ts';
import { openstackOf, passwordOf, QUICKSTART, restarts } from '../openstack.ts';
import { CHARTS, setAio, whyNoAio, type Aio } from '../stage.ts';

/** Defines the tests. */
export async function chartsWith(addresses: Addresses): Promise<void> {
  fileLimit(45);
  const skip = (await whyNoAio()) ?? false;
  const families: readonly string[] = FAMILIES[addresses];
  const familiesOf = (all: readonly string[]) => all.map((address) => (isIPv6(address) ? 'IPv6' : 'IPv4'));

  describe(`the charts on a node with ${addresses} addresses`, { skip }, () => {
    let stage: Aio;
    const { kubectl, exec, pods, token, whatIsWrong } = openstackOf(() => stage);
    const inKeystone = async (script: string) => await exec('deploy/keystone', 'keystone', script);
    const addressesOf = async (kind: 'pods' | 'services', list: string) => {
      const all = JSON.parse(await kubectl('get', kind, '--output=json')) as {
        items: { metadata: { name: string }; [part: string]: Record<string, unknown> & { name?: string } }[];
      };
      return all.items.map(({ metadata, ...item }) => {
        const part = item[kind === 'pods' ? 'status' : 'spec']?.[list] as readonly (string | { ip: string })[];
        return { name: metadata.name, all: part.map((one) => (typeof one === 'string' ? one : one.ip)) };
      });
    };
    /** `[fd10:96::5]:3306` and `10.96.0.5:3306` of a Service. */
    const atService = async (name: string, port: number) => {
      const found = (await addressesOf('services', 'clusterIPs')).find((service) => service.name === name);
      return found?.all.map((host) => formatAddress({ host, port })) ?? [];
    };
    before(async () => (stage = await setAio({ addresses })));
    after(async () => await stage?.[Symbol.asyncDispose]());

    test('all charts start in the order of their waits, no container is restarted, and Keystone issues a token', async () => {
      await stage.quickstart.run(QUICKSTART, 0);
      // passwords.yml contains only global.passwords, so these lines are below global.
      const logs = `logs: { url: "${stage.elasticsearch.url}" }`;
      await appendFile(join(stage.directory, 'passwords.yml'), `  ipFamilies: [${families.join(', ')}]\n  ${logs}\n`);
      await stage.quickstart.run(QUICKSTART, 1).catch(async (cause: unknown) => {
        throw new Error(await whatIsWrong(), { cause });
      });
      const counts = Object.values(restarts(await pods()));
      assert.ok(counts.length >= CHARTS.length && counts.every((count) => count === 0), String(counts));
      assert.ok((await token()).length > 0);
    });

    test('Pods and Services have addresses of these families', async () => {
      for (const { name, all } of await addressesOf('pods', 'podIPs'))
        assert.deepEqual(familiesOf(all), families, name);
      for (const { name, all } of await addressesOf('services', 'clusterIPs'))
        if (!all.includes('None')) assert.deepEqual(familiesOf(all), families, name);
    });

    test('probes and waits reach servers by address', async () => {
      const password = await passwordOf(stage.directory, 'keystone_database_password');
      const login = `--user keystone --password-file <(printf %s '${password}')`;
      for (const family of families.keys()) {
        const at = async (name: string, port: number) => (await atService(name, port))[family] ?? '';
        const [mariadb, rabbitmq] = [await at('mariadb', 3306), await at('rabbitmq', 5672)];
        const [memcached, keystone] = [await at('memcached', 11_211), await at('keystone', 5000)];
        const management = await at('rabbitmq', 15_672);
        for (const check of [
          `tcp ${mariadb}`,
          `mysql ${mariadb} ${login}`,
          `amqp ${rabbitmq}`,
          `memcached ${memcached}`,
          `http http://${keystone}/v3`,
          `http http://${management}/ --status 200`,
        ])
          assert.match(await inKeystone(`kolla-probe ${check} 2>&1; echo "code $?"`), /^code 0$/m, check);
        const waits = [
          `tcp://${mariadb}`,
          `mysql://${mariadb}`,
          `amqp://${rabbitmq}`,
          `memcached://${memcached}`,
          `http://${keystone}/v3`,
        ];
        const options = waits.map((wait) => `--wait '${wait}'`).join(' ');
        assert.match(await inKeystone(`kolla-init ${options} --timeout 1m 2>&1; echo "code $?"`), /^code 0$/m);
      }
    });

    test('rabbitmqctl reaches its node', async () => {
      const words = ['exec', 'rabbitmq-0', '--container=rabbitmq', '--', 'rabbitmqctl', '--quiet', 'list_vhosts'];
      assert.match(await kubectl(...words), /^\/$/m);
    });

    test('kolla-db-sync has migrated the schema, and reports it', async () => {
      assert.match(await inKeystone('kolla-db-sync status keystone'), /^keystone +zed .* done +0 /m);
    });

    test("the sidecar answers at each of the Pod's addresses, and shows its page on loopback alone", async () => {
      const statusOf = async (url: string) => {
        const words = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', url];
        return await must(...stage.node.inside('curl', words));
      };
      const keystone = new Set((await pods('keystone')).map(({ metadata }) => metadata.name));
      const found = (await addressesOf('pods', 'podIPs')).filter(({ name }) => keystone.has(name));
      assert.ok(found.length > 0);
      for (const host of found.flatMap(({ all }) => all)) {
        assert.equal(await statusOf(`http://${formatAddress({ host, port: 9808 })}/readyz`), '200');
        assert.equal(await statusOf(`http://${formatAddress({ host, port: 9808 })}/`), '403');
      }
      for (const host of ['127.0.0.1', '::1']) {
        const url = `http://${formatAddress({ host, port: 9808 })}/`;
        assert.match(await inKeystone(`kolla-probe http ${url} --status 200 2>&1; echo "code $?"`), /^code 0$/m);
      }
    });

    test("Keystone's log lines reach Elasticsearch at the node's last address", async () => {
      const shipped = async () => {
        await stage.elasticsearch.refresh();
        return (await stage.elasticsearch.count('flog-*')) || undefined;
      };
      assert.ok((await until('log lines to be indexed', shipped)) > 0);
    });
  });
}
