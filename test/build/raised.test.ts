import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { blindToEnvironment } from '../../build/blind.ts';
import { podBinary } from '../cluster/pod-binary.ts';
import { canThrowAwayRoots, inThrowAwayRoot, type Tree } from '../contract/throw-away-root.ts';
import { privateFolder, type Folder } from '../../tools/folder.ts';
import { run, type Finished } from '../../tools/process.ts';

const skip = (await canThrowAwayRoots()) ?? false;

let folder: Folder;
let dist: string;

before(async () => {
  folder = await privateFolder('raised');
  dist = (await podBinary()).folder;
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
async function raised(env: NodeJS.ProcessEnv, folders: readonly string[] = []): Promise<Finished> {
  const line = `for name in kolla_set_configs kolla_copy_cacerts; do '${dist}/bin/'$name; echo "$name $?"; done
    cat /run_command /etc/a.conf /etc/passwd; stat -c '%a %n' /etc/a.conf; find / -xdev -not -path '/tmp/*' | sort`;
  const all = { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', SUDO_UID: '42425', ...env };
  const { stderr, ...rest } = await inThrowAwayRoot(line, { tree: IMAGE, folders: [dist, ...folders], env: all });
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
  SIMDUTF_FORCE_IMPLEMENTATION: 'none',
})) {
  test(`raised by sudo, ${name} changes nothing and writes nothing`, { skip }, async () => {
    assert.deepEqual(await raised({ [name]: value }), await plain);
  });
}

test("raised by sudo, a broken file for ICU's time zones is not read", { skip }, async () => {
  // A resource bundle's header and indexes, whose root lies far behind its end.
  const header = '2000da27140000000000020052657342010400000000000000000000';
  const indexes = 'ffffff20'.padEnd(48, '08000000').padEnd(72, '0');
  const broken = Buffer.alloc(100, 0xff).fill(Buffer.from(header.padEnd(64, '0') + indexes, 'hex'), 0, 68);
  const zones = join(folder.path, 'zones');
  await mkdir(zones, { recursive: true });
  await writeFile(join(zones, 'zoneinfo64.res'), broken);
  assert.deepEqual(await raised({ ICU_TIMEZONE_FILES_DIR: zones }, [zones]), await raised({}, [zones]));
});

/** What a raised run may ask for, and why no answer to it harms. */
const ASKED: Readonly<Record<string, string>> = {
  '': 'a blinded name: there is no such variable',
  KOLLA_CONFIG_STRATEGY: 'the one variable that the contract gives the caller',
  PATH: 'copied with the rest of the environment, which src/cli/raised.ts then cuts down',
  SUDO_UID: 'by which it knows that it is raised',
  LD_PRELOAD: "the trace's own; of a caller sudo takes it away",
  NODE_V8_COVERAGE: 'read by our first line, which ends what it began',
  HOME: "where node's require() would look for modules, which a single executable never does",
  NODE_PATH: "where node's require() would look for modules, which a single executable never does",
  NODE_PRESERVE_SYMLINKS: "how node's require() would look for modules",
  NODE_PRESERVE_SYMLINKS_MAIN: "how node's require() would look for modules",
  LANG: "the locale, and there is English alone in the binary's own data",
  LC_ALL: "the locale, and there is English alone in the binary's own data",
  LC_MESSAGES: "the locale, and there is English alone in the binary's own data",
  TZ: "the time zone of the log's lines",
  NODE_CHANNEL_FD: 'a descriptor to talk to a parent over: none of ours listens, and sudo closes all but three',
  NODE_UNIQUE_ID: "which of a parent's workers it is, over that descriptor",
  NODE_DEBUG: 'more lines on stderr',
  NODE_DEBUG_NATIVE: 'more lines on stderr',
  NODE_PENDING_DEPRECATION: 'more lines on stderr',
  NODE_USE_ENV_PROXY: 'a proxy for HTTP, which no raised tool speaks',
  NODE_USE_SYSTEM_CA: 'CA certificates for TLS, which no raised tool speaks',
};

test('raised by sudo, it asks the environment for nothing else', { skip }, async (t) => {
  const library = join(folder.path, 'trace/getenv.so');
  await mkdir(join(folder.path, 'trace'));
  const source = new URL('./fixtures/trace-getenv.c', import.meta.url).pathname;
  const made = await run('cc', ['-DTRACE="/trace"', '-shared', '-fPIC', '-o', library, source]).catch(String);
  if (typeof made === 'string' || made.code !== 0)
    return t.skip(`no C compiler: ${typeof made === 'string' ? made : made.stderr}`);
  const given = `SUDO_UID=42425 KOLLA_CONFIG_STRATEGY=COPY_ALWAYS PATH="$PATH" LD_PRELOAD='${library}'`;
  const line = `for name in kolla_set_configs kolla_copy_cacerts; do env -i ${given} '${dist}/bin/'$name || exit; done
    sort -u /trace`;
  const { code, stdout, stderr } = await inThrowAwayRoot(line, { tree: IMAGE, folders: [dist, join(library, '..')] });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.split('\n').slice(0, -1).toSorted(), Object.keys(ASKED).toSorted());
});

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
