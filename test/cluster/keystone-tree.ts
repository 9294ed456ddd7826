import { chmod, glob, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';

/**
 * Debian's libc would conflict with the machine's dynamic loader, which must be of the same build. An image has a libc.
 */
const MACHINE_HAS = ['libc6'];
const PACKAGES = ['python3-keystone', 'python3-pymysql', 'uwsgi-plugin-python3'];

/** Dependencies in Debian that a Keystone on MySQL never opens: half of the size, and half of the import time. */
export const UNUSED = [
  'usr/share/{bash-completion,dbus-1,doc,doc-base,docutils,icons,info,javascript,lintian,locale,man,perl,perl5,pixmaps,X11}',
  'usr/share/{sgml,sphinx,xml}',
  'usr/share/ieee-data/*.{csv,txt}',
  'usr/share/zoneinfo/{posix,right}',
  'usr/share/python-babel-localedata/locale-data/[!er]*',
  'usr/share/python-babel-localedata/locale-data/e[!n]*',
  'usr/lib/*-linux-gnu/{perl,perl-base,perl5,libperl.*,libX*,libxcb*,libicu{i18n,io,test,tu}.*,libxmlsec*,libxslt*,libexslt*,librdkafka*}',
  'usr/lib/*-linux-gnu/gconv',
  'usr/lib/{dbus-1.0,systemd,udev}',
  'usr/bin/{perl*,dbus-*,xsubpp,cpan*,xmlsec1,xclip*}',
  'usr/lib/python3*/{test,lib2to3,idlelib,tkinter,ensurepip,pydoc_data}',
  'usr/lib/python3/dist-packages/{alabaster,docutils,future,gevent,libfuturize,libpasteurize,lxml,past,pygments,sphinx}',
  'usr/lib/python3/dist-packages/{confluent_kafka,elementpath,psycopg2,snowballstemmer,testtools,unittest2,xmlschema,zmq}',
  'usr/lib/python3/dist-packages/{cinderclient,glanceclient,neutronclient,novaclient,openstackclient,openstack}',
  'usr/lib/python3/dist-packages/{keystone,keystoneclient,keystonemiddleware,oslo_*,sqlalchemy,migrate}/**/tests',
];

const LIBRARIES = 'usr/lib/python3/dist-packages';
const CLIENT = ['openstackclient', 'openstack', 'cinderclient', 'glanceclient', 'neutronclient', 'novaclient'];

/** pysaml2 parses the schemas of SAML when it is imported, a third of the CPU time of each start. No test uses SAML. */
const SAML_SCHEMAS = 'usr/lib/python3/dist-packages/saml2/xml/schema/__init__.py';
const NO_SCHEMAS = `class XMLSchemaError(Exception):
    pass


node_to_schema = {}
`;

/**
 * Run by each start of Python. Importing a service makes objects, but no garbage: looking for it takes an eighth of the CPU
 * time of a start.
 */
export const SELDOM_COLLECT = {
  file: 'usr/lib/python3/dist-packages/seldom-collect.pth',
  text: 'import gc; gc.set_threshold(100_000, 20, 20)\n',
} as const;

/**
 * Imports Keystone's modules and stores the compiled ones next to their sources. The .pyc files are unchecked, because
 * an image's layer has other timestamps than this directory, and its user cannot write.
 */
const COMPILE = `
import importlib, pkgutil, py_compile, sys
import keystone, keystone.cmd.manage, keystone.server.wsgi, pymysql, sqlalchemy.dialects.mysql.pymysql
for module in pkgutil.walk_packages(keystone.__path__, 'keystone.'):
    importlib.import_module(module.name)
for file in {getattr(module, '__file__', None) or '' for module in list(sys.modules.values())}:
    if file.endswith('.py'):
        py_compile.compile(file, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`;

/** A root file system without libc: Keystone, Python, uWSGI and their dependencies. Cached. */
export async function keystoneTree(): Promise<string> {
  const unpacked = await unpackedPackages('keystone-packages', PACKAGES, { except: MACHINE_HAS });
  const madeFrom = [basename(unpacked), ...UNUSED, NO_SCHEMAS, SELDOM_COLLECT.text, COMPILE];
  return await cached('keystone', madeFrom, async (directory) => {
    await must('cp', ['-al', `${unpacked}/.`, directory]);
    await prune(directory);
    // Removed first: it is a link to the unpacked package's.
    await rm(join(directory, SAML_SCHEMAS));
    await writeFile(join(directory, SAML_SCHEMAS), NO_SCHEMAS);
    await writeFile(join(directory, SELDOM_COLLECT.file), SELDOM_COLLECT.text);
    const python = await pythonOf(directory);
    await must(python.command, ['-c', COMPILE], { env: python.env, cwd: directory });
  });
}

/** OpenStack's client, which Kolla's openstack-base has too: what keystoneTree() lacks of it. Cached. */
export async function clientTree(): Promise<string> {
  const unpacked = await unpackedPackages('keystone-packages', PACKAGES, { except: MACHINE_HAS });
  return await cached('keystone-client', [basename(unpacked), ...CLIENT], async (directory) => {
    const place = join(directory, LIBRARIES);
    await mkdir(place, { recursive: true });
    for (const name of CLIENT) await must('cp', ['-al', join(unpacked, LIBRARIES, name), place]);
    await chmod(directory, 0o755);
  });
}

/** Removes the files in `UNUSED` from a root file system. */
export async function prune(root: string): Promise<void> {
  for await (const path of glob(UNUSED, { cwd: root })) await rm(join(root, path), { recursive: true, force: true });
}

/** How the tree's Python is run in place. */
export async function pythonOf(tree: string): Promise<{ command: string; env: NodeJS.ProcessEnv }> {
  const usr = join(tree, 'usr');
  const libraries = (await readdir(join(usr, 'lib'))).filter((name) => name.includes('-linux-gnu'));
  const env = {
    PATH: process.env['PATH'],
    LD_LIBRARY_PATH: libraries.map((name) => join(usr, 'lib', name)).join(':'),
    PYTHONHOME: usr,
    PYTHONPATH: join(usr, 'lib/python3/dist-packages'),
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return { command: join(usr, 'bin/python3'), env };
}
