import { EVERY, type Capability } from '../row.ts';

export const bootstrap: Capability = {
  name: 'bootstrap',
  title: 'Everything before the first start',
  rows: [
    {
      point:
        'one Job: the plan shows every part, a run makes them in order, a second one takes no lock and changes nothing',
      file: 'test/integration/kolla-bootstrap-job.test.ts',
      test: 'the plan shows every part, a run applies them in order, and a second one takes no lock and changes nothing',
    },
    {
      point: 'two runs at once',
      file: 'test/integration/kolla-bootstrap-job.test.ts',
      test: 'two concurrent runs create everything once',
    },
    {
      point: 'under the same lock as the schema: lost, killed, SIGTERM, Keystone down and back in mid-run',
      file: 'test/integration/kolla-bootstrap-job.test.ts',
      test: [
        'a lost lock stops the command and all further changes; the next run continues',
        'the next run continues after a kill during its command, without another migration',
        'SIGTERM stops the command after --grace and all further changes, and is recorded',
        'with Keystone down during a run, completed parts stay done and are not repeated',
      ],
    },
    {
      point:
        'Keystone: fresh, re-run under a live token, changed URL, changed password, half there, down in mid-run, duplicates, delete, each refusal',
      file: 'test/integration/kolla-bootstrap-keystone.test.ts',
      test: EVERY,
    },
    {
      point: 'RabbitMQ: virtual host, account, permissions, password, delete',
      file: 'test/integration/kolla-bootstrap-rabbitmq.test.ts',
      test: EVERY,
    },
    {
      point:
        'RabbitMQ: unsupported upgrades refused by the node and its data; feature flags, Khepri and mirrored queues before others',
      file: 'test/integration/kolla-bootstrap-rabbitmq-upgrade.test.ts',
      test: EVERY,
    },
    {
      point: 'Nova’s cells with the real nova-manage: cell0, create or update, no password in an argv',
      file: 'test/integration/kolla-bootstrap-cells.test.ts',
      test: ['no password is in a log line or on a command line', EVERY],
    },
    {
      point: 'Glance’s metadata definitions and Keystone’s own bootstrap, once and recorded, with the real tools',
      file: 'test/integration/kolla-bootstrap-once.test.ts',
      test: ["Keystone's bootstrap runs once with its values, and its password is only in a file", EVERY],
    },
    {
      point: 'Fernet and credential keys: rotation with two real Keystones, crash between steps, rotations at once',
      file: 'test/integration/kolla-bootstrap-keys.test.ts',
      test: ['the next run completes a rotation whose run died after its write, without rotating again', EVERY],
    },
    {
      point: 'keys in Secrets on a real API server: Role, lost answer, adopted, imported',
      file: 'test/integration/kolla-bootstrap-keys-secret.test.ts',
      test: EVERY,
    },
    {
      point: 'openstack-helm’s seven Jobs replaced by one: the page’s own Job on what theirs leave',
      file: 'test/integration/kolla-bootstrap-openstack-helm.test.ts',
      test: ["its plan equals the page's; the run applies it in place, and an older token stays valid", EVERY],
    },
    {
      point:
        'on the real node one Job prepares Placement, whose Pod comes up and answers to a token; the next one changes nothing',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'one Job prepares Placement, then its Pod starts and accepts a token',
        'the Job of the next deployment changes nothing, and an older token stays valid',
      ],
    },
    {
      point: 'what a service needs before its first start is data',
      file: 'test/catalog/services.test.ts',
      test: [
        'every account has a role, in an existing domain',
        'no two services share a catalogue entry or an account',
      ],
    },
    {
      point: 'own services by YAML',
      file: 'test/catalog/own.test.ts',
      test: [
        "the Keystone and RabbitMQ sections of a user's service are parsed",
        "the tool section of a user's service is parsed",
      ],
    },
    {
      point: 'what each needs is printed as a table',
      file: 'test/build/docs.test.ts',
      test: /^docs\/reference\/catalogue\.md matches the tables/,
    },
  ],
};
