import { EVERY, type Capability } from '../row.ts';

export const images: Capability = {
  name: 'images',
  title: 'Images: to copy or mount from, and Kolla’s with the binary included',
  rows: [
    {
      point: 'two images, reproducible with the same ids; with checksums',
      file: 'test/build/reproducible.test.ts',
      test: 'a second build of the images in another directory yields the same files with the same ids',
    },
    {
      point:
        '`scratch` and `core` contain only files; `install` and `operator` run as uid 65532 on glibc alone; all have labels',
      file: 'test/build/images.test.ts',
      test: [
        'scratch and core contain only files, install and operator run as uid 65532; all have labels',
        /(?:install|operator) has no shell, no package manager and no set-uid program$/,
      ],
    },
    {
      point: 'their sizes are those in docs/how-to/images.md',
      file: 'test/build/images.test.ts',
      test: [
        'docs/how-to/images.md has the sizes of docs/evidence/image-sizes.md',
        'the base image is a few MiB, and all images compress to a third',
      ],
    },
    {
      point: 'a CycloneDX 1.6 bill of materials: the binary, its bundled packages, Node’s parts, Debian’s packages',
      file: 'test/build/images.test.ts',
      test: [
        /the bill of materials of .+ is valid CycloneDX 1\.6$/,
        'the SBOM has the binary with its digest, each bundled package, the parts of node, and Debian’s packages',
      ],
    },
    {
      point: 'the licence list has the text of each package',
      file: 'test/build/images.test.ts',
      test: 'the licence list has the text for each package in the SBOM',
    },
    {
      point: 'arm64 on amd64: code caches by its own node under qemu-user, reproducible, and it runs',
      file: 'test/build/arm64.test.ts',
      test: ['two builds yield the same stripped file, which runs and accepts its code caches', EVERY],
    },
    {
      point:
        '`kolla-pod install` killed midway, four concurrently, on a full disk, noexec: all files or none, and reported',
      file: 'test/toolbox/install.test.ts',
      test: [
        'fixes the mode of directories that a killed run left private',
        'an installation killed midway leaves no binary, and the next run completes and cleans up',
        'four concurrent runs leave one complete installation',
        'a full disk is reported with the space needed, and the partial copy is removed',
        'a volume mounted noexec is rejected with exit code 69',
      ],
    },
    {
      point: 'an unmodified image on a real node under `restricted`: the binary from an init container',
      file: 'test/e2e/install.test.ts',
      test: ['an init container under restricted delivers the binary, and it runs', EVERY],
    },
    {
      point: 'an unmodified image on a real node under `restricted`: the binary from an image volume of containerd 2.4',
      file: 'test/e2e/image-volume.test.ts',
      test: ['the binary of the image without libc runs in an unmodified image, without a copy', EVERY],
    },
    {
      point: 'kolla-build renders our override into base, keystone, mariadb-server and rabbitmq',
      file: 'test/integration/kolla-build.test.ts',
      test: [
        'base gets the binary after Kolla’s own files, so Kolla’s names link to it',
        'no image overwrites our health checks with Kolla’s own',
        'only base copies the binary, which is one layer of all images',
      ],
    },
    {
      point: 'every `docker run` and compose example of docs/how-to/images.md works unchanged on a real engine',
      file: 'test/integration/images.test.ts',
      test: ['compose removes everything it created', EVERY],
    },
  ],
};
