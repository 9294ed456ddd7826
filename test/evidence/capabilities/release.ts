import { EVERY, type Capability } from '../row.ts';

export const release: Capability = {
  name: 'releases',
  title: 'Releases: from a directory to a registry and a cluster, verified',
  rows: [
    {
      point: 'archives, image indexes of both architectures, charts, provenance and checksums agree with each other',
      file: 'test/build/release-parts.test.ts',
      test: EVERY,
    },
    {
      point: 'the same inputs give the same files, except for signatures; a failed build leaves the former release',
      file: 'test/build/release-parts.test.ts',
      test: [
        'the same inputs give the same files, except for signatures',
        'a failure leaves the former release, and nothing else',
      ],
    },
    {
      point: 'signs with a PEM, or with a key of cosign and its password; wrong input exits with 64 or 65',
      file: 'test/build/release-command.test.ts',
      test: ['signs with a PEM and with a key that cosign encrypted', EVERY],
    },
    {
      point:
        'a real registry gets every image, chart and signature with the digests of the release; Helm renders from it',
      file: 'test/build/release.test.ts',
      test: [
        'the registry has every image and chart with the digests of the release',
        'Helm renders the same chart from the registry, from the index over http, and from the archive',
        'a second publication changes nothing',
      ],
    },
    {
      point: 'a damaged release, or one that another key signed, is not published',
      file: 'test/build/release.test.ts',
      test: 'a damaged release, or one that another key signed, is not published',
    },
    {
      point: 'podman’s library accepts the signatures of images and charts, and refuses an image that replaced a tag',
      file: 'test/build/release.test.ts',
      test: [
        'the images and charts are accepted by podman’s library, with the policy of the page',
        'an image that replaced a tag is refused, with no signature and with that of another image',
        'a signature for another repository name is refused',
      ],
    },
    {
      point:
        'the page’s commands lead from a release to a service on a real node, whose containerd pulls from the registry',
      file: 'test/e2e/release.test.ts',
      test: EVERY,
    },
    {
      point:
        'migrations of the previous release and of this one on one database and Lease: one at a time, no repetition',
      file: 'test/compatibility/migration.test.ts',
      test: EVERY,
    },
    {
      point: 'each resumes from the other’s checkpoint of log shipping: every line once',
      file: 'test/compatibility/log-ship.test.ts',
      test: EVERY,
    },
    {
      point: 'each leaves alone what the other’s kolla-init installed, and removes what is no longer listed',
      file: 'test/compatibility/config.test.ts',
      test: EVERY,
    },
    {
      point:
        'charts of the previous release are upgraded and rolled back on a real API server, with the same workloads',
      file: 'test/compatibility/charts.test.ts',
      test: /upgraded, rolled back and upgraded again/,
      least: 12,
    },
    {
      point: 'every file states the version of package.json',
      file: 'test/build/version.test.ts',
      test: EVERY,
    },
  ],
};
