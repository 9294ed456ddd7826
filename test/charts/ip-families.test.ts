import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { podYamlOf } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const skip = (await canRunHelm()) ?? false;

async function rendered(chart: string, ...ipFamilies: string[]): Promise<Rendered> {
  await using helm = await rendering(chart);
  return await helm.render(ipFamilies.length === 0 ? {} : { global: { ipFamilies } });
}

/** The objects as text, with the contents of Secrets. */
function textOf({ all }: Rendered): string {
  return all.map((object) => JSON.stringify(object) + secretsOf(object)).join('\n');
}

function secretsOf({ kind, ...object }: KubeObject): string {
  const values = kind === 'Secret' ? Object.values((object['data'] ?? {}) as Record<string, string>) : [];
  return values.map((value) => Buffer.from(value, 'base64').toString()).join('\n');
}

describe('global.ipFamilies', { skip }, () => {
  for (const chart of chartNames()) {
    test(`${chart}: with IPv6 no server listens on IPv4's addresses only`, async () => {
      for (const families of [['IPv6'], ['IPv4', 'IPv6']])
        assert.doesNotMatch(textOf(await rendered(chart, ...families)), /0\.0\.0\.0/);
    });

    test(`${chart}: its Services have the families`, async () => {
      const specsOf = async (...families: string[]) =>
        (await rendered(chart, ...families)).of('Service').map((service) => service['spec'] as object);
      for (const spec of await specsOf()) assert.ok(!('ipFamilies' in spec), 'the default is the cluster');
      for (const spec of await specsOf('IPv6'))
        assert.partialDeepStrictEqual(spec, { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
      for (const spec of await specsOf('IPv4', 'IPv6'))
        assert.partialDeepStrictEqual(spec, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' });
    });
  }

  test("glance: a Pod's IPv6 address is in brackets in its URL", async () => {
    assert.match(textOf(await rendered('glance', 'IPv6')), /http:\/\/\[\$\(POD_IP\)\]:9292/);
    assert.match(textOf(await rendered('glance', 'IPv4', 'IPv6')), /http:\/\/\$\(POD_IP\):9292/);
  });

  test("neutron: the metadata agent has an IPv6 address of Nova's without brackets, as oslo.config requires", async () => {
    await using helm = await rendering('neutron');
    const endpoints = { 'nova-metadata': { host: '[fd00::5]', port: 8775 } };
    const text = textOf(await helm.render({ global: { endpoints } }));
    assert.match(text, /^nova_metadata_host = fd00::5\nnova_metadata_port = 8775$/m);
  });

  for (const chart of ['keystone', 'nova'])
    test(`${chart}: its memcached client, which looks up IPv4 by default, has the family`, async () => {
      await using helm = await rendering(chart);
      const serversOf = async (ipFamilies: string[], memcached: object) => {
        const text = textOf(await helm.render({ global: { ipFamilies, endpoints: { memcached } } }));
        return new Set(text.match(/(?<=^memcached?_servers = ).*/gm));
      };
      const servers = 'a:11211, b:11211';
      assert.deepEqual(await serversOf(['IPv6'], {}), new Set(['inet6:[memcached]:11211']));
      assert.deepEqual(await serversOf(['IPv6'], { servers }), new Set(['inet6:[a]:11211,inet6:[b]:11211']));
      assert.deepEqual(await serversOf(['IPv6'], { servers: 'inet6:[a]:1' }), new Set(['inet6:[a]:1']));
      assert.deepEqual(await serversOf(['IPv4'], { host: '[fd00::5]' }), new Set(['inet6:[fd00::5]:11211']));
      for (const families of [['IPv4'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']])
        assert.deepEqual(await serversOf(families, {}), new Set(['memcached:11211']));
    });

  for (const component of ['volume', 'backup'])
    test(`cinder-${component}: its address, where iSCSI targets listen, is the Pod's; Cinder's default is of IPv4 alone`, async () => {
      const cinder = await rendered('cinder', 'IPv6');
      const { overlays } = podYamlOf(cinder, cinder.one('StatefulSet', `cinder-${component}`));
      assert.partialDeepStrictEqual(overlays?.ini, [{ key: 'my_ip', value: '$(POD_IP)' }]);
    });

  test("keystone: with TLS its client is another one, which doesn't know the prefix", async () => {
    await using helm = await rendering('keystone');
    const text = textOf(await helm.render({ global: { ipFamilies: ['IPv6'], tls: { enabled: true } } }));
    assert.match(text, /^memcache_servers = memcached:11211$/m);
  });

  test('mariadb: Galera and its transfers use IPv6 if it is the first', async () => {
    const text = textOf(await rendered('mariadb', 'IPv6'));
    assert.match(text, /gmcast\.listen_addr=tcp:\/\/\[::\]:4567/);
    assert.match(text, /pf=ip6/);
    assert.match(text, /bind_address = \*/);
    assert.doesNotMatch(textOf(await rendered('mariadb', 'IPv4', 'IPv6')), /gmcast|pf=ip6/);
  });

  test('an unknown family is rejected', async () => {
    await using helm = await rendering('memcached');
    assert.match((await helm.complaint({ global: { ipFamilies: ['ipv6'] } })) ?? '', /ipFamilies/);
  });
});
