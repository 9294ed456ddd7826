import { EVERY, type Capability } from '../row.ts';

export const sidecar: Capability = {
  name: 'sidecar',
  title: 'Several helpers in one process, and its status page',
  rows: [
    {
      point: 'a mistake in any role’s options, section, check or action is refused before anything runs',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: / that is wrong is refused before anything runs$/,
    },
    {
      point: 'a failing role restarts with backoff, shows on /livez?verbose and takes no other down',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'a role that fails shows where it should, is restarted, and takes no other down',
    },
    {
      point: 'the pauses grow, are capped, and begin anew after a minute of running well',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        'a role that fails is restarted with backoff, and the others run on undisturbed',
        'the pauses begin anew after a role ran well for a minute',
      ],
    },
    {
      point: 'what a callback of a role throws is charged to that role alone; anything else ends the process with 70',
      file: 'test/sidecar/supervisor.test.ts',
      test: [
        /what .+ of a role throws ends that role alone/,
        'what an unawaited promise of a role rejects with is charged to it; anything else ends the process',
        'what an earlier try throws late is said and does not end the one that runs now',
        'a role that does not end after a failure of its own is stuck, and not begun a second time',
      ],
    },
    {
      point: 'waits and migration hold startup; a check of the service does not hold the sidecar itself',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: [
        'startup is held until the waits are met, and a check of the service does not hold the sidecar itself',
        'db-sync holds startup while its server is away, and ends at SIGTERM',
      ],
    },
    {
      point: 'SIGTERM: not ready at once, roles end in order, log shipping last with the last lines, 143',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'SIGTERM: not ready at once, lines written until then are shipped last, and it ends with 143',
    },
    {
      point: 'kill -9 amid shipping: the next start ships the rest, no line is another document',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'after kill -9 amid shipping the next start ships the rest, and no line is another document',
    },
    {
      point:
        'one port on all addresses: others get a status word; page, data, stream and reasons are for loopback peers',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'reasons are for this pod alone: others get a status word, also one that pretends to be local',
    },
    {
      point: 'configuration: each file with its time and ConfigMap version, refused versions with their reason',
      file: 'test/integration/kolla-sidecar.test.ts',
      test: 'what is refused is told with its ConfigMap version and its reason, and what is in place with its own',
    },
    {
      point: 'page in a real browser: every state, live change, what others wrote is text only',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'shows every state: roles, checks, waits, migration, shipping, configuration, the refused version',
        'shows a change without being asked, where it is, and says the new whole to who listens',
        'what others wrote is text and nothing else',
      ],
    },
    {
      point: 'page: 1,000 files and 200 checks, problems first, filter',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: '1,000 files and 200 checks are all there, problems first, and the filter finds what is meant',
    },
    {
      point: 'page: keyboard, landmarks, contrast of 4.5 and more in light and dark, no motion for who wants none',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'everything is done with the keyboard, and it is seen where one is',
        /every text has a contrast of 4\.5 and more, (light|dark)$/,
        'who wants no motion sees none',
        'landmarks and titles are there, and nothing was complained of or asked of others',
      ],
      least: 5,
    },
    {
      point: 'page: a phone of 360 px, no console errors, nothing asked of others',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'a phone of 360 px scrolls down and never aside',
        'landmarks and titles are there, and nothing was complained of or asked of others',
      ],
    },
    {
      point: 'page: polling where no events come through; a killed sidecar is shown again as soon as it answers',
      file: 'test/integration/kolla-sidecar-page.test.ts',
      test: [
        'where no events come through, it asks',
        'a real sidecar that is killed and comes back is shown as soon as it answers',
      ],
    },
    {
      point: 'page: one self-contained file under a policy of hashes',
      file: 'test/sidecar/page.test.ts',
      test: ['its policy lets its own style and script run, and nothing else', EVERY],
    },
    {
      point:
        'on a real node: a native sidecar with all roles holds Keystone back, then keeps it ready, and its page is reached from inside the pod alone',
      file: 'test/e2e/keystone.test.ts',
      test: 'one sidecar with all roles holds Keystone back, then tells that all is well to who is in the pod alone',
    },
  ],
};
