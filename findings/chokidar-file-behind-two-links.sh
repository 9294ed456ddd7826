#!/bin/sh
# chokidar 6.0.0, on Node 20 or later: one file of a mounted ConfigMap, watched with `followSymlinks: false`. The kubelet mounts
# a -> ..data/a and ..data -> ..VERSION, and replaces only ..data.
# Guess: no event at all, since the link a itself never changes; or `change a`.
# Seen: events for the directory's other entries, which are not watched, and none for a. Version 5.0.0 reports the other entries
# as well, but a among them. With `followSymlinks: true`, the default, both report `change a` alone.
# Output seen:
#   6.0.0 links: ..data b
#   6.0.0 followed: a
#   5.0.0 links: ..data a b
#   5.0.0 followed: a
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund new@npm:chokidar@6.0.0 old@npm:chokidar@5.0.0 > /dev/null
cat > main.mjs <<'JS'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** As the kubelet does: a new directory, ..data is replaced in one step, the old directory is removed. */
function publish(mount, version, text, old) {
  mkdirSync(join(mount, version));
  for (const name of ['a', 'b']) writeFileSync(join(mount, version, name), text);
  symlinkSync(version, join(mount, '..data_tmp'));
  renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
  if (old !== undefined) rmSync(join(mount, old), { recursive: true });
}

for (const [version, name] of [['6.0.0', 'new'], ['5.0.0', 'old']]) {
  const { watch } = await import(name);
  for (const followSymlinks of [false, true]) {
    const mount = mkdtempSync('mount-');
    publish(mount, '..1', 'one');
    for (const each of ['a', 'b']) symlinkSync(`..data/${each}`, join(mount, each));
    const seen = new Set();
    const watcher = watch(join(mount, 'a'), { ignoreInitial: true, followSymlinks });
    await new Promise((resolve) => watcher.once('ready', resolve));
    watcher.on('all', (_event, path) => seen.add(basename(path)));
    for (const [each, text, old] of [['..2', 'second', '..1'], ['..3', 'the third', '..2']]) {
      publish(mount, each, text, old);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    await watcher.close();
    console.log(`${version} ${followSymlinks ? 'followed' : 'links'}: ${[...seen].sort().join(' ')}`);
  }
}
JS
node main.mjs > out
cat out
printf '%s\n' '6.0.0 links: ..data b' '6.0.0 followed: a' '5.0.0 links: ..data a b' '5.0.0 followed: a' > want
cmp out want
