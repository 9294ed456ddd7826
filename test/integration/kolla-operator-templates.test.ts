/** Values with templates: what they look up with the operator's account reaches no status, Event or log. Real Helm and API server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packageChart } from '../../build/charts.ts';
import type { OpenStack, OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import type { Running } from '../../tools/process.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { condition, isReady, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const SECRET = 'hidden-in-a-secret';
const GLOBAL = { kollaPod: { image: { reference: 'registry.test/kolla-pod:1' } } };
const valuesOf = (object: string) => ({ global: GLOBAL, objects: [object] });

describe('kolla-operator and templates in values', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  let looked: string;
  let operator: Running;
  before(async () => {
    site = await operatorSite('templates', []);
    packageChart('memcached', site.charts);
    const secret = [
      'create',
      'secret',
      'generic',
      'other',
      `--namespace=${site.namespace}`,
      `--from-literal=a=${SECRET}`,
    ];
    await site.cluster.kubectl(secret);
    looked = `((lookup "v1" "Secret" "${site.namespace}" "other").data.a | b64dec)`;
    operator = await site.operator();
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = async (what: string, is: (service: OpenStackService) => boolean) =>
    await site.seen<OpenStackService>('OpenStackService', 'memcached', what, is);
  const isNew = ({ metadata, status }: OpenStackService) => status?.observedGeneration === metadata.generation;
  const failed = async (why: RegExp) => {
    // Degraded is still that of the values before while Helm runs.
    const object = await seen('failed', (one) => isNew(one) && condition(one, 'Progressing')?.reason === 'HelmFailed');
    const { reason: reasonOf, message } = condition(object, 'Degraded') ?? {};
    assert.equal(reasonOf, 'HelmFailed');
    assert.match(message ?? '', why);
  };
  /** Everything that is published of the operator's objects, and its log. */
  const published = async () => {
    const get = (what: string) => [
      'get',
      what,
      `--namespace=${site.namespace}`,
      '--output=jsonpath={.items[*].status}',
    ];
    const events = ['get', 'events', `--namespace=${site.namespace}`, '--output=jsonpath={.items[*].message}'];
    const texts = [get('openstackservices'), get('openstacks'), events].map((args) => site.cluster.kubectl(args));
    return [...(await Promise.all(texts)), await readFile(join(site.directory, 'operator.log'), 'utf8')].join('\n');
  };
  const set = async (object: string) => await site.patch('OpenStackService', 'memcached', { values: valuesOf(object) });
  const labeled = () =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, labels: { a: "{{ ${looked} }} {{ ${looked} }}" } }`;

  test('the text of fail is not published, but its place in the chart is', async () => {
    await site.create('OpenStackService', 'memcached', { release: '2025.1', values: valuesOf(`{{ fail ${looked} }}`) });
    await failed(/^the chart failed at memcached\/templates\/all\.yaml:1:3; Helm's text is not shown/);
    assert.doesNotMatch(await published(), new RegExp(SECRET));
  });

  test('nor what is no template, no YAML, or an object that the API server rejects', async () => {
    for (const object of [`{{ tpl (printf "{{ %s" ${looked}) . }}`, `a: "{{ ${looked} }}: b: c\nd`, labeled()]) {
      await set(object);
      await failed(/^the chart failed/);
    }
    assert.doesNotMatch(await published(), new RegExp(SECRET));
  });

  test("nor in Helm's record of a failed upgrade, also after a restart of the operator", async () => {
    await set('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }');
    await seen('ready', isReady);
    await operator.stop();
    await set(labeled());
    operator = await site.operator();
    await failed(/^the chart failed/);
    assert.match(await site.helm('history', 'memcached'), new RegExp(SECRET));
    await operator.stop();
    operator = await site.operator();
    const revision = (await site.history('memcached')).length;
    await seen('tried again', ({ status }) => (status?.helm?.revision ?? 0) > revision);
    assert.doesNotMatch(await published(), new RegExp(SECRET));
  });

  test('nor by the preflight of an upgrade', async () => {
    const values = { global: GLOBAL, objects: [] };
    await site.create('OpenStack', 'cloud', { release: '2025.1', services: { memcached: { values } } });
    await site.seen<OpenStack>('OpenStack', 'cloud', 'ready', isReady);
    const services = { memcached: { values: valuesOf(`{{ fail ${looked} }}`) } };
    await site.patch('OpenStack', 'cloud', { release: '2025.2', services });
    const stopped = await site.seen<OpenStack>(
      'OpenStack',
      'cloud',
      'stopped',
      (one) => condition(one, 'Preflight')?.status === 'False',
    );
    assert.match(
      condition(stopped, 'Preflight')?.message ?? '',
      /^memcached: the chart failed at memcached\/templates/,
    );
    assert.doesNotMatch(await published(), new RegExp(SECRET));
  });

  test('nor by the API server, which rejects the Pod of a preflight', async () => {
    const image = `containers: [{ name: main, image: "{{ ${looked} }} " }]`;
    const object = `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\nspec: { template: { spec: { ${image} } } }`;
    const services = { memcached: { values: valuesOf(object) } };
    await site.patch('OpenStack', 'cloud', { release: '2025.2', upgrade: { checkImages: true }, services });
    const why = /^pod\/cloud-preflight: the API server rejects it: Invalid/;
    const is = (one: OpenStack) => why.test(condition(one, 'Preflight')?.message ?? '');
    await site.seen<OpenStack>('OpenStack', 'cloud', 'stopped by the Pod', is);
    assert.doesNotMatch(await published(), new RegExp(SECRET));
  });
});
