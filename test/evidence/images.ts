import { tests, type Capability } from './point.ts';

const build = (names: string) => tests('test/build/images.test.ts', names);
const engine = (names: string) => tests('test/integration/images.test.ts', names);
const install = (names: string) => tests('test/pod/install.test.ts', names);
const kolla = (names: string) => tests('test/integration/kolla-build.test.ts', names);

export const images: Capability = {
  name: 'images',
  title: 'Images: to copy or mount from, and Kolla’s with the binary in them',
  points: [
    {
      point: 'two images, the same files and ids when built twice; checksums beside them',
      command: tests('test/build/reproducible.test.ts', 'built a second time'),
      match: /✔ the images built a second time in another place are the same files with the same ids/,
    },
    {
      point: '`scratch` is files alone; `install` runs as uid 65532 on glibc alone; both have labels',
      command: build('files alone|no shell'),
      match: /✔ install has no shell, no package manager and no set-uid program/,
    },
    {
      point: 'what they weigh, as docs/images.md has it',
      command: 'node_modules/.bin/node build/images.ts --arch amd64',
      match: /^kolla-pod:\S+-scratch +amd64 +\d.*$/m,
    },
    {
      point: 'a CycloneDX 1.6 bill of materials: the binary, what is bundled in it, Node’s parts, Debian’s packages',
      command: build('bill'),
      match:
        /✔ the bill names the binary by its digest, each bundled package, the parts of node, and Debian’s packages/,
    },
    {
      point: 'the licence list has the text of each package',
      command: build('licence list'),
      match: /✔ the licence list has the text of each package that the bill names/,
    },
    {
      point: 'arm64 on amd64: code caches by its own node under qemu-user, the same file twice, and it runs',
      command: tests('test/build/arm64.test.ts'),
      match: /✔ built twice it is the same file, stripped, with code caches that its own node takes, and it runs/,
    },
    {
      point:
        '`kolla-pod install` killed in the middle, four at once, a full disk, noexec: whole or not there, and said',
      command: install('killed|four|full|nothing may be run'),
      match: /✔ killed in the middle it leaves no binary, and the next run finishes and removes what was left/,
    },
    {
      point:
        'an unmodified image on a real node under `restricted`: the binary from an init container, or an image volume (dry run)',
      command: tests('test/e2e/install.test.ts'),
      match: /✔ has the binary from an init container, under restricted, and runs it/,
    },
    {
      point: 'kolla-build renders our override into base, keystone, mariadb-server and rabbitmq',
      command: kolla('base gets|no image|only base'),
      match: /✔ base gets the binary after Kolla’s own files, so Kolla’s names lead to it/,
    },
    {
      point: 'kolla-build builds Kolla’s base image with it, and the names lead to ours',
      command: 'node_modules/.bin/node test/evidence/kolla-base.ts',
      match: /^base: .*, of it kolla-pod: .*$/m,
    },
    {
      point: 'every `docker run` and compose example of docs/images.md works on a real engine as it stands',
      command: engine('.'),
      match: /✔ what compose brought up went with it/,
    },
  ],
};
