import { tests, type Capability } from './point.ts';

const on = (file: string, names?: string) => tests(`test/integration/kolla-bootstrap-${file}.test.ts`, names);
const NO_FAILURE = /ℹ fail 0/;

export const bootstrap: Capability = {
  name: 'bootstrap',
  title: 'Everything before the first start',
  points: [
    {
      point:
        'one Job: the plan shows every part, a run makes them in order, a second one takes no lock and changes nothing',
      command: on('job', 'plan shows every part'),
      match: /✔ the plan shows every part/,
    },
    {
      point: 'two runs at once',
      command: on('job', 'two runs at once'),
      match: /✔ two runs at once make everything once/,
    },
    {
      point: 'under the same lock as the schema: lost, killed, SIGTERM, Keystone down and back in mid-run',
      command: on('job', 'lock is lost|killed amid|SIGTERM|Keystone down'),
      match: /✔ Keystone down amid a run/,
    },
    {
      point:
        'Keystone: fresh, re-run under a live token, changed URL, changed password, half there, down in mid-run, duplicates, delete, each refusal',
      command: on('keystone'),
      match: NO_FAILURE,
    },
    {
      point: 'RabbitMQ: virtual host, account, permissions, password, delete',
      command: on('rabbitmq'),
      match: NO_FAILURE,
    },
    {
      point: 'Nova’s cells with the real nova-manage: cell0, create or update, no password in an argv',
      command: on('cells'),
      match: /✔ no password was ever in a log line or on a command line/,
    },
    {
      point: 'Glance’s metadata definitions and Keystone’s own bootstrap, once and recorded, with the real tools',
      command: on('once'),
      match: /✔ Keystone's bootstrap is done once with its values/,
    },
    {
      point: 'Fernet and credential keys: rotation with two real Keystones, crash between steps, rotations at once',
      command: on('keys'),
      match: /✔ a run that died after its write is ended by the next/,
    },
    {
      point: 'keys in Secrets on a real API server: Role, lost answer, adopted, imported',
      command: on('keys-secret'),
      match: NO_FAILURE,
    },
    {
      point: 'openstack-helm’s seven Jobs replaced by one: the page’s own Job on what theirs leave',
      command: on('openstack-helm'),
      match: /✔ its plan is the page's/,
    },
    {
      point:
        'on the real node one Job prepares Placement, whose Pod comes up and answers to a token; the next one changes nothing',
      command: tests('test/e2e/keystone.test.ts', 'the Job migrates|Placement|next deployment'),
      match: /✔ one Job prepares Placement, whose Pod comes up after it and answers to a token/,
    },
    {
      point: 'services are data, own ones by YAML; printed as a table',
      command: 'node_modules/.bin/node build/from-source.ts kolla-pod catalogue heat',
      match: /Before its first start/,
    },
  ],
};
