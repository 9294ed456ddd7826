import type { Capability } from '../row.ts';

const CLOUD = 'test/integration/kolla-operator-openstack.test.ts';
const SERVICE = 'test/integration/kolla-operator.test.ts';
const CONTRACT = 'test/integration/kolla-operator-contract.test.ts';
const WORKLOAD = 'test/integration/kolla-operator-workload.test.ts';
const KILLS = 'test/integration/kolla-operator-kills.test.ts';
const CHARTS = 'test/integration/kolla-operator-charts.test.ts';

export const operator: Capability = {
  name: 'operator',
  title: 'kolla-operator, with real Helm on a real API server; Pods become ready without a kubelet',
  rows: [
    {
      point: 'one object installs all services; `kubectl wait` and `kubectl get` show their state',
      file: CLOUD,
      test: 'installs all services at once, with the values of the cloud',
    },
    {
      point: 'every chart is installed with the permissions that `kolla-operator rbac` prints, and no others',
      file: CHARTS,
      test: 'installs every chart with no other permissions than those that it prints',
    },
    {
      point: 'an upgrade goes stage by stage, and pauses after a service',
      file: CLOUD,
      test: "upgrades stage by stage, Nova's charts together, and pauses where it is asked to",
    },
    {
      point: 'a failed step stops what is behind it, names its reason in a condition and an Event, and is resumed',
      file: CLOUD,
      test: 'stops at a failed step, names it, touches nothing behind it, and resumes',
    },
    {
      point: 'set back in the middle of an upgrade, services go back in reverse order, without Jobs',
      file: CLOUD,
      test: 'set back in the middle of an upgrade, the services that are new go back, the last ones first',
    },
    {
      point:
        'before an upgrade: charts that do not render, interrupted migrations, a database that is not ready; untouched',
      file: CONTRACT,
      test: [
        'before an upgrade, all charts render and no migration is interrupted, or nothing is touched',
        'a database that is not ready stops an upgrade before its first step',
        'with checkImages, an upgrade starts when a node has pulled all images',
      ],
    },
    {
      point:
        '`pauseBefore: contract`: all services at the new release, no contract has run; there is a way back, and one on',
      file: CONTRACT,
      test: [
        'an upgrade is paused with all services at the new release, and no contract has run',
        'no other upgrade begins while contract is held back',
        'held services go back',
        'without pauseBefore, contract runs, and the Jobs before an upgrade do not run again',
      ],
    },
    {
      point: 'after `contract` has begun, going back is refused with the reason, for a cloud and for one service',
      file: CONTRACT,
      test: [
        'after contract, the release is not set back, and nothing is touched',
        'a single service refuses the same, from the Lease itself',
      ],
    },
    {
      point: 'a workload is scaled through Helm, so that `helm get values` shows it',
      file: WORKLOAD,
      test: 'is scaled as a value of the Helm release, without the Jobs of an upgrade',
    },
    {
      point: 'a workload is restarted, paused and drained, and Helm undoes none of it',
      file: WORKLOAD,
      test: [
        'is restarted by a new value only, and no Helm runs',
        'is paused: an upgrade of the service waits, and goes on when it is resumed',
        'is drained: no Pod is left, and it comes back with its number of replicas',
      ],
    },
    {
      point: 'controllers run as separate processes; a workload is usable without a service',
      file: WORKLOAD,
      test: [
        'belongs to its service, and shows each Pod',
        'alone, of a release that a person has installed, it restarts; its replicas are a value of that release',
      ],
    },
    {
      point: "a missing image, an exceeded quota, a failed Job: Degraded, in Kubernetes' own words",
      file: SERVICE,
      test: [
        "shows why its Pods do not start, in the kubelet's words",
        'shows that a quota is exceeded, in the words of the API server, and goes on when there is room',
        'shows a failed Job of the release, in the words of Kubernetes',
      ],
    },
    {
      point: 'releases installed by hand are adopted without a new revision',
      file: SERVICE,
      test: 'adopts a release that a person has installed with the same values, without a new revision',
    },
    {
      point: 'unknown releases, services and fields are refused at admission',
      file: SERVICE,
      test: [
        'an unknown release names the known ones, which are those of the catalogue',
        'services are those of the catalogue, or name their chart',
        'unknown fields, a long name, a tag without the release and a changed chart are refused',
      ],
    },
    {
      point: 'SIGKILL at random moments: the same end, no Job twice',
      file: KILLS,
      test: /comes to the same end after SIGKILL at \d+ random moments of three upgrades$/,
    },
    {
      point: 'another replica takes over in the middle of an upgrade',
      file: KILLS,
      test: 'another replica takes over in the middle of an upgrade, when the Lease ends',
    },
    {
      point: 'a ready service costs no request',
      file: CHARTS,
      test: 'a ready service costs no request, and no timer runs for it',
    },
  ],
};
