import { tests, type Capability } from './point.ts';

const integration = (file: string, names?: string) => tests(`test/integration/${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

export const waits: Capability = {
  name: 'waits',
  title: 'Waiting on the cluster',
  points: [
    {
      point: 'kind x {met, not yet, absent, 403, deleted in mid-wait} against a real API server',
      command: integration('waits'),
      match: /✔ no cell of the table is empty/,
    },
    {
      point: 'the kinds that need no API server, against real servers, RabbitMQ among them',
      command: integration('waits-servers'),
      match: /amqp +met after/,
    },
    {
      point: 'without a cluster: docker run with files and waits, as documented, against real servers',
      command: integration('docker-run'),
      match: /✔ the documentation's docker run/,
    },
    {
      point:
        'what differs from other tools on purpose: failed, suspended, old and TTL-removed Jobs, terminating Pods, DaemonSets; 500 dependencies at once; deadline, Event, SIGTERM',
      command: integration('waits-meaning'),
      match: /✔ 500 dependencies at once/,
    },
    {
      point: 'the grammar is strict: no text crashes it, and what is read is the same after being written',
      command: tests('test/depend/grammar/property.test.ts'),
      match: /✔ no text of 20000/,
    },
    {
      point: 'a failed Job ends the wait at once with its reason',
      command: tests('test/depend/objects.test.ts', 'a failed Job ends'),
      match: /✔ a failed Job ends the wait/,
    },
    {
      point: 'on a terminal the waits are a live table',
      command: tests('test/init/live-waits.test.ts'),
      match: /✔ on a terminal the waits are a table/,
    },
    { point: '410 by compaction', command: integration('kube-faults', 'compacted'), match: /watches began again/ },
    {
      point: 'the API server killed and restarted ten times in one watch',
      command: integration('kube-faults', 'killed'),
      match: /every change was seen/,
    },
    {
      point: 'the API server frozen for longer than the idle limit (120 s: make soak)',
      command: integration('kube-faults', 'frozen for longer'),
      match: /told after .* went on when the server did/,
    },
    {
      point: 'a floating address moves away from a frozen server',
      command: integration('kube-faults', 'floating'),
      match: /went on with the new one/,
    },
    {
      point: 'the watch closed after each event',
      command: integration('kube-faults', 'closed after each'),
      match: /20 of 20 changes were seen/,
    },
    {
      point: "429 with Retry-After by the server's own flow control",
      command: integration('kube-faults', 'overload'),
      match: /each waited out as long as asked/,
    },
    {
      point: 'an expired token is read again at once',
      command: integration('kube-credentials', 'expired token'),
      match: /401, then 200 by the new one/,
    },
    {
      point: 'a wrong CA, then the right one',
      command: integration('kube-credentials', 'wrong CA'),
      match: /went on with the right one/,
    },
    {
      point: '403 on watch: said once with the missing verb, then get and list',
      command: integration('kube-credentials', 'get and list polls'),
      match: /add the verb watch to its Role/,
    },
    {
      point: '403 on everything: the Role as YAML, which is enough when applied',
      command: integration('kube-credentials', 'told the Role'),
      match: NO_FAILURE,
    },
    {
      point: "client-node's own Watch fails where ours holds",
      command: integration('kube-client-node'),
      match: /nothing happens +ended after 30 s/,
    },
    {
      point: 'generated Roles are sufficient and minimal, each applied on a real API server',
      command: integration('rbac'),
      match: NO_FAILURE,
    },
    {
      point:
        "every variable of kubernetes-entrypoint's on real objects; every difference by name; get and list are enough",
      command: integration('kubernetes-entrypoint'),
      match: /✔ each environment has the verdict that the documentation says/,
    },
    {
      point: 'COMMAND becomes this very process, with signals and limits of the caller',
      command: tests('test/init/kubernetes-entrypoint.test.ts'),
      match: /✔ COMMAND is this very process/,
    },
    {
      point: 'fails closed with 64, variable and column; KOLLA_POD_COMPAT=lenient keeps the old way and says so',
      command: "node_modules/.bin/node --test 'test/depend/compat/*.test.ts'",
      match: /✔ what kubernetes-entrypoint left out is refused with its place/,
    },
    {
      point: 'an openstack-helm init container on a real node, with another image and nothing else',
      command: tests('test/e2e/keystone.test.ts', 'kubernetes-entrypoint'),
      match: /✔ a Pod that was made for kubernetes-entrypoint waits as before/,
    },
  ],
};
