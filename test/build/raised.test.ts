import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { blindToEnvironment } from '../../build/blind.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from '../contract/throw-away-root.ts';
import { privateFolder, type Folder } from '../../tools/folder.ts';
import { must, run, type Finished } from '../../tools/process.ts';

const BUILD = new URL('../../build/binary.ts', import.meta.url).pathname;
const skip = (await canThrowAwayRoots()) ?? false;

let folder: Folder;
let dist: string;

before(async () => {
  folder = await privateFolder('raised');
  dist = join(folder.path, 'dist');
  const names = ['kolla_set_configs', 'kolla_copy_cacerts'].flatMap((name) => ['--only', name]);
  await must(process.execPath, [BUILD, '--quiet', ...names, '--out', dist], { env: { PATH: process.env['PATH'] } });
});
after(async () => await folder[Symbol.asyncDispose]());

const CONFIG = 'var/lib/kolla/config_files';
const MARKER = 'require("fs").writeFileSync("/trap/marker", "")';
const OTHER = {
  command: 'other',
  config_files: [{ source: '/trap/shadow', dest: '/etc/passwd', owner: 'root', perm: '0644' }],
};
const IMAGE: Tree = {
  'etc/debian_version': '12\n',
  'etc/passwd': 'root:x:0:0::/root:\n',
  'etc/group': 'root:x:0:\n',
  [`${CONFIG}/config.json`]: JSON.stringify({
    command: 'own',
    config_files: [{ source: '/var/lib/kolla/config_files/a.conf', dest: '/etc/a.conf', owner: 'root', perm: '0600' }],
  }),
  [`${CONFIG}/a.conf`]: 'a',
  // What the caller owns, and would have root read, load or write.
  'trap/config.json': JSON.stringify(OTHER),
  'trap/shadow': 'mine',
  'trap/marker.cjs': MARKER,
  'trap/broken.cnf': 'nodejs_conf = [\n[',
  'trap/var/lib/kolla/config_files/config.json': JSON.stringify(OTHER),
};

/** By sudo with `-E`, and what there is afterwards. */
async function raised(env: NodeJS.ProcessEnv): Promise<Finished> {
  const line = `for name in kolla_set_configs kolla_copy_cacerts; do '${dist}/bin/'$name; echo "$name $?"; done
    cat /run_command /etc/a.conf /etc/passwd; stat -c '%a %n' /etc/a.conf; find / -xdev -not -path '/tmp/*' | sort`;
  const all = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', SUDO_UID: '42425', ...env };
  const { stderr, ...rest } = await inThrowAwayRoot(line, { tree: IMAGE, folders: [dist], env: all });
  return { ...rest, stderr: stderr.replaceAll(/^[-\d]+ [:.\d]+ /gm, '') };
}

/** Without any of them. */
let plain: Promise<Finished>;
test('raised by sudo, both tools do their work', { skip }, async () => {
  plain = raised({});
  const { stdout, stderr } = await plain;
  assert.match(stdout, /^kolla_set_configs 0\nkolla_copy_cacerts 0\nownaroot:x:0/, stderr);
  assert.match(stdout, /^600 \/etc\/a\.conf$/m);
});

for (const [name, value] of Object.entries({
  KOLLA_CONFIG: JSON.stringify(OTHER),
  KOLLA_CONFIG_FILE: '/trap/config.json',
  KOLLA_ROOT: '/trap',
  KOLLA_INIT_CONFIG_JSON: '/trap/config.json',
  KOLLA_POD_CONFIG: '/trap/config.json',
  NODE_OPTIONS: '--require=/trap/marker.cjs',
  NODE_PATH: '/trap',
  NODE_V8_COVERAGE: '/trap/coverage',
  NODE_REDIRECT_WARNINGS: '/trap/warnings',
  NODE_PENDING_DEPRECATION: '1',
  NODE_COMPILE_CACHE: '/trap/cache',
  NODE_EXTRA_CA_CERTS: '/trap/broken.cnf',
  NODE_REPL_EXTERNAL_MODULE: '/trap/marker.cjs',
  NODE_ICU_DATA: '/trap',
  OPENSSL_CONF: '/trap/broken.cnf',
  OPENSSL_MODULES: '/trap',
})) {
  test(`raised by sudo, ${name} changes nothing and writes nothing`, { skip }, async () => {
    assert.deepEqual(await raised({ [name]: value }), await plain);
  });
}

test('a variable that reaches a plain node does not reach the blinded one', async () => {
  const blinded = join(folder.path, 'blinded');
  await copyFile(process.execPath, blinded);
  blindToEnvironment(blinded);
  const cache = join(folder.path, 'cache');
  const script = join(folder.path, 'script.cjs');
  const broken = join(folder.path, 'broken.cnf');
  await mkdir(cache);
  await writeFile(script, '');
  await writeFile(broken, 'nodejs_conf = [\n[');
  const through = async (node: string) => {
    const codes = [];
    for (const env of [{ OPENSSL_CONF: broken }, { NODE_REPL_EXTERNAL_MODULE: script }, { NODE_COMPILE_CACHE: cache }])
      codes.push((await run(node, [script], { env })).code === 0);
    return [...codes, (await readdir(cache)).length === 0];
  };
  assert.deepEqual(await through(blinded), [true, true, true, true]);
  assert.deepEqual(await through(process.execPath), [false, true, true, false]);
});

test('a node that has not a name is refused: it may read it under another spelling', async () => {
  const file = join(folder.path, 'other');
  const bytes = await readFile(process.execPath);
  for (let at = bytes.indexOf('OPENSSL_CONF\0'); at !== -1; at = bytes.indexOf('OPENSSL_CONF\0', at)) bytes[at] = 0x58;
  await writeFile(file, bytes);
  assert.throws(() => blindToEnvironment(file), /has no OPENSSL_CONF to be blinded to/);
});
