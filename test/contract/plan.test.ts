/**
 * Runs each service's kolla-init as in a Pod that plan has printed: with its uid, a read-only root, and only plan's
 * volumes writable.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { parseDocument, type Document } from '../../src/config/read/schema.ts';
import { KOLLA_GID, KOLLA_USERS } from '../../src/catalog/kolla-users.ts';
import { INIT_ROOT } from '../../src/config/volumes/layout.ts';
import type { PodPlan } from '../../src/config/volumes/index.ts';
import { bringsCaCertificates } from '../../src/container/start/index.ts';
import { makeAuthority } from '../cluster/authority.ts';
import { fixture, planOf } from '../config/volumes/fixtures.ts';
import { HELPERS, logLines } from '../support/helper.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from './throw-away-root.ts';

const skip = (await canThrowAwayRoots()) ?? false;
const CONFIG_FILES = 'var/lib/kolla/config_files';
const STORE = ['/etc/ssl/certs', '/usr/local/share/ca-certificates'];

/** Sources that are directories in a deployment; the others are files. */
const DIRECTORIES = new Set(['ceph', 'certificates', 'domains', 'services.d', 'themes']);

const accounts = (line: (name: string, id: number) => string) =>
  Object.entries({ root: 0, ...KOLLA_USERS })
    .map(([name, id]) => `${line(name, id)}\n`)
    .join('');

/** An image of that service, with its users and a file at each mount point. */
function imageOf({ layout }: PodPlan): Tree {
  const own = layout.places.filter(({ kind, purpose }) => kind === 'directory' && purpose === 'config');
  return {
    'etc/debian_version': '12\n',
    'etc/ssl/certs/ca-certificates.crt': '',
    'etc/passwd': accounts((name, id) => `${name}:x:${id}:${id}::/:/bin/sh`),
    'etc/group': accounts((name, id) => `${name}:x:${id}:`),
    'usr/local/bin/kolla-init': {
      text: `#!/bin/sh\nexec '${process.execPath}' '${HELPERS}' kolla-init "$@"\n`,
      mode: 0o755,
    },
    ...Object.fromEntries(own.map(({ path }) => [`${path.slice(1)}/of-the-image`, 'the image'])),
  };
}

function sourcesOf({ config_files }: Document): Tree {
  const files = config_files.map(({ source }) => {
    const path = source.slice(1).replace(/\/\*?$/, '');
    if (basename(path) === 'ca-certificates') return [`${path}/own.crt`, makeAuthority('Own').certificate];
    if (path.endsWith('.crt')) return [path, makeAuthority('Own').certificate];
    return [DIRECTORIES.has(basename(path)) ? `${path}/in-directory` : path, `the deployment's ${basename(path)}`];
  });
  return Object.fromEntries(files) as Tree;
}

const services = readdirSync(fixture('x').replace(/x\.json$/, '')).map((name) => basename(name, '.json'));

for (const service of services.filter((name) => name !== 'two-users')) {
  test(`${service}: plan's mounts suffice for kolla-init, and it fills all of them`, { skip }, async () => {
    const text = readFileSync(fixture(service), 'utf8');
    const document = parseDocument(JSON.parse(text)) as Document;
    const brings = bringsCaCertificates(document.config_files.map(({ source }) => source));
    const plan = await planOf(fixture(service), { more: () => (brings ? STORE : []) });
    const { user, spec, layout } = plan;
    assert.ok(user && spec);
    const volumes = spec.initContainers[0].volumeMounts
      .filter(({ mountPath }) => mountPath.startsWith(`${INIT_ROOT}/`))
      // Like the directory that the kubelet creates for a volume: owned by root, and writable for the Pod.
      .map(({ mountPath }) => [mountPath, `mode=2777,gid=${KOLLA_GID}`]);
    const list = `find ${INIT_ROOT} -type f -user ${user.uid} -printf '%p\\n'; find ${INIT_ROOT} -type d -printf '%p/\\n'`;
    const { code, stdout, stderr } = await inThrowAwayRoot(`kolla-init --root ${INIT_ROOT} && ${list}`, {
      tree: { ...imageOf(plan), ...sourcesOf(document), [`${CONFIG_FILES}/config.json`]: text },
      volumes: Object.fromEntries(volumes) as Record<string, string>,
      uid: user.uid,
      groups: user.groups,
      noNewPrivileges: true,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      logLines(stderr).filter(({ level }) => level !== 'info'),
      [],
    );
    const there = new Set(stdout.trim().split('\n'));
    for (const { path, kind, purpose } of layout.places.filter((place) => place.purpose !== 'temporary')) {
      const at = `${INIT_ROOT}${path}`;
      assert.ok(there.has(`${at}/`) || (kind === 'file' && there.has(at)), `${at} is missing and cannot be mounted`);
      if (purpose === 'config' && kind === 'directory' && path !== '/etc/ssl/certs')
        assert.ok(there.has(`${at}/of-the-image`), `${at} has no content of the image`);
    }
    for (const { source, dest } of document.config_files) {
      const name = basename(source.replace(/\/\*?$/, ''));
      const inside = name === 'ca-certificates' ? 'own.crt' : DIRECTORIES.has(name) ? 'in-directory' : undefined;
      const file = `${INIT_ROOT}${dest.replace(/\/$/, '')}${inside === undefined ? '' : `/${inside}`}`;
      assert.ok(there.has(file), `${file} is not installed`);
    }
    assert.ok(there.has(`${INIT_ROOT}/run/kolla/run_command`));
  });
}

test('without a volume for the CA store kolla-init exits with code 77 and writes nothing', { skip }, async () => {
  const text = readFileSync(fixture('mariadb-tls'), 'utf8');
  const plan = await planOf(fixture('mariadb-tls'));
  const { user, spec } = plan;
  assert.ok(user && spec);
  const volumes = spec.initContainers[0].volumeMounts
    .filter(({ mountPath }) => mountPath.startsWith(`${INIT_ROOT}/`))
    .map(({ mountPath }) => [mountPath, `mode=2777,gid=${KOLLA_GID}`]);
  const { code, stdout, stderr } = await inThrowAwayRoot(
    `kolla-init --root ${INIT_ROOT}; code=$?; find ${INIT_ROOT} -type f; exit $code`,
    {
      tree: {
        ...imageOf(plan),
        ...sourcesOf(parseDocument(JSON.parse(text)) as Document),
        [`${CONFIG_FILES}/config.json`]: text,
      },
      volumes: Object.fromEntries(volumes) as Record<string, string>,
      uid: user.uid,
      groups: user.groups,
      noNewPrivileges: true,
    },
  );
  assert.equal(code, 77, stderr);
  assert.match(
    stderr,
    /cannot prepare the CA certificates in \/kolla\/usr\/local\/share\/ca-certificates: EROFS.*mount a volume/,
  );
  assert.equal(stdout, '');
});
