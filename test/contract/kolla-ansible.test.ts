import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allProbes, type ServiceProbe } from '../../src/catalog/index.ts';
import { canHaveKollaAnsible, declaredHealthchecks, KOLLA_ANSIBLE_VERSIONS, type Declared } from './kolla-ansible.ts';

const skip = (await canHaveKollaAnsible()) ?? false;

/** Variables of kolla-ansible that are not named after their container. */
const CONTAINERS: Readonly<Record<string, string>> = { valkey: 'valkey_server' };
/** Added to kolla-ansible's repository after this release. */
const LATER = ['prometheus_alertmanager'];

type Entry = [container: string, declared: string | undefined];

test('every health check declared by kolla-ansible is known and unchanged', { skip }, async () => {
  const theirs = (await declaredHealthchecks()).map(({ name, test: words }): Entry => [
    CONTAINERS[name] ?? name,
    words,
  ]);
  const ours = allProbes().map(({ container, declared }): Entry => [container, declared]);
  const released = ours.filter(([container]) => !LATER.includes(container));
  const byName = (a: Entry, b: Entry) => (a[0] < b[0] ? -1 : 1);
  assert.deepEqual(released.toSorted(byName), theirs.toSorted(byName));
  assert.equal(ours.length, theirs.length + LATER.length);
});

const PROBES = new Map(allProbes().map((probe) => [probe.container, probe]));

/** What earlier releases had. A check of theirs that is in none of these equals ours. */
const EARLIER: readonly { readonly until: number; readonly names: RegExp; readonly reason: string }[] = [
  { until: 20, names: /^ironic_inspector$/, reason: 'removed' },
  { until: 21, names: /^zun_|^kuryr$/, reason: 'removed' },
  { until: 20, names: /^venus_api$|^neutron_tls_proxy$/, reason: 'removed' },
  { until: 20, names: /^redis(?:_sentinel)?$/, reason: 'replaced by valkey' },
  { until: 19, names: /^neutron_linuxbridge_agent$/, reason: 'removed' },
  { until: 20, names: /^mariadb$/, reason: 'clustercheck, for the image before healthcheck.sh' },
  { until: 21, names: /^glance_tls_proxy$/, reason: 'asked its frontend instead of its own statistics' },
  { until: 21, names: /^horizon$/, reason: 'listened on port 80' },
];
/** The first release whose checks of APIs ask for the path of oslo.middleware. */
const HEALTHCHECK_PATHS = 22;
/** Containers for which ours asks less than the check that kolla-ansible enables, though it enables it. */
const IDLE: Readonly<Record<string, string>> = {
  ceilometer_ipmi: 'the program of ceilometer_central, whose check is disabled',
};

function isLike({ declared }: ServiceProbe, release: number, { test: words }: Declared): boolean {
  const trimmed = words.trimEnd();
  return declared === trimmed || (release < HEALTHCHECK_PATHS && declared === `${trimmed}/healthcheck`);
}

for (const [number, version] of Object.entries(KOLLA_ANSIBLE_VERSIONS)) {
  const release = Number(number);
  const theirs = async () =>
    (await declaredHealthchecks(version)).map((one) => ({ ...one, container: CONTAINERS[one.name] ?? one.name }));

  test(`kolla-ansible ${release}: each health check is ours, or listed with its reason`, { skip }, async () => {
    const differing = (await theirs()).filter((one) => {
      const probe = PROBES.get(one.container);
      return probe === undefined || !isLike(probe, release, one);
    });
    const unlisted = differing.filter(
      ({ container }) => !EARLIER.some(({ until, names }) => release <= until && names.test(container)),
    );
    assert.deepEqual(
      unlisted.map(({ container, test: words }) => [container, words, PROBES.get(container)?.declared]),
      [],
    );
  });

  test(
    `kolla-ansible ${release}: the checks that it has disabled are disabled in the catalogue`,
    { skip },
    async () => {
      const disabled = (await theirs()).flatMap(({ container, isEnabled }) => (isEnabled ? [] : [container]));
      const ours = allProbes().filter(({ disabledSince = Infinity }) => disabledSince <= release);
      assert.deepEqual(ours.map(({ container }) => container).toSorted(), disabled.toSorted());
    },
  );
}

test('a check that kolla-ansible has disabled is not our readiness, which then asks for no connection', () => {
  const all = allProbes();
  const idle = all.filter(({ container, disabledSince }) => disabledSince !== undefined || container in IDLE);
  assert.deepEqual(
    idle.map(({ container, readiness }) => [container, readiness]),
    [
      ['ceilometer_central', 'process ceilometer-polling'],
      ['ceilometer_compute', 'process ceilometer-polling'],
      ['ceilometer_ipmi', 'process ceilometer-polling'],
      ['neutron_metadata_agent', 'process neutron-metadata-agent'],
    ],
  );
  // All other workers are ready when connected, as kolla-ansible checks them.
  const others = all.filter((probe) => !idle.includes(probe) && probe.declared?.startsWith('healthcheck_port'));
  assert.deepEqual(
    others.filter(({ readiness }) => !readiness.startsWith('connected ')).map(({ container }) => container),
    [],
  );
});
