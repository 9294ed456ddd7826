import { EVERY, type Capability } from '../row.ts';

export const bootstrap: Capability = {
  name: 'bootstrap',
  title: 'Everything before the first start',
  rows: [
    {
      point:
        'one Job: the plan lists every part, a run creates them in order, a second run takes no lock and changes nothing',
      file: 'test/integration/kolla-bootstrap-job.test.ts',
      test: 'the plan shows every part, a run applies them in order, and a second one takes no lock and changes nothing',
    },
    {
      point: 'two concurrent runs',
      file: 'test/integration/kolla-bootstrap-job.test.ts',
      test: 'two concurrent runs create everything once',
    },
    {
      point: 'under the schema migration’s lock: lock lost, killed, SIGTERM, Keystone restarted during a run',
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
        'Keystone: first run, re-run with a live token, changed URL, changed password, partially created, down during a run, duplicates, delete, each error',
      file: 'test/integration/kolla-bootstrap-keystone.test.ts',
      test: EVERY,
    },
    {
      point: 'RabbitMQ: virtual host, account, permissions, password, delete',
      file: 'test/integration/kolla-bootstrap-rabbitmq.test.ts',
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
      point: 'Fernet and credential keys: rotation with two real Keystones, crash between steps, concurrent rotations',
      file: 'test/integration/kolla-bootstrap-keys.test.ts',
      test: ['the next run finishes one that died after its write, without a rotation', EVERY],
    },
    {
      point: 'keys in Secrets on a real API server: Role, lost response, adoption, import',
      file: 'test/integration/kolla-bootstrap-keys-secret.test.ts',
      test: EVERY,
    },
    {
      point: 'openstack-helm’s seven Jobs replaced by one: the page’s Job runs on the results of theirs',
      file: 'test/integration/kolla-bootstrap-openstack-helm.test.ts',
      test: ["its plan equals the page's; the run applies it in place, and an older token stays valid", EVERY],
    },
    {
      point:
        'on a real node one Job prepares Placement, whose Pod becomes ready and accepts a token; the next Job changes nothing',
      file: 'test/e2e/keystone.test.ts',
      test: [
        'one Job prepares Placement, then its Pod starts and accepts a token',
        'the Job of the next deployment changes nothing, and an older token stays valid',
      ],
    },
    {
      point: 'a service’s requirements before its first start are data',
      file: 'test/catalog/services.test.ts',
      test: [
        'every account has a role, in an existing domain',
        'no two services have the same catalogue entry, or account',
      ],
    },
    {
      point: 'custom services in YAML',
      file: 'test/catalog/own.test.ts',
      test: ['its Keystone and RabbitMQ sections are parsed', 'its tool section is parsed'],
    },
    {
      point: 'each service’s requirements are printed as a table',
      file: 'test/build/docs.test.ts',
      test: /^docs\/reference\/catalogue\.md matches the tables/,
    },
  ],
};
