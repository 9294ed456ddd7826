import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run } from '../../tools/process.ts';
import { compile, javaHome, javaSource, needJava } from './java.ts';
import { COPY_GOAL, fetchArtifact } from './maven.ts';

const VERSION = '8.19.21';
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;
const NEEDED_BYTES = 1e9;
export const JAVA = 17;

/** Requires Java 17, disk space, a way to drop root, and Maven or its cache. */
export const canRunElasticsearch: Capability = async () => {
  if ((await javaHome(JAVA)) === undefined) return `no java of version ${JAVA} or later`;
  if (!(await hasRoom())) return 'less than 1 GB free in /tmp';
  if ((await unprivileged()) === undefined) return 'it refuses uid 0, and neither unshare nor setpriv can change that';
  try {
    await distribution();
  } catch (error) {
    return `Maven could not fetch it: ${(error as Error).message.split('\n')[0]}`;
  }
  return undefined;
};

/** The same, and also a compiler for the module of API keys. */
export const canRunSecureElasticsearch: Capability = async () => {
  const reason = await canRunElasticsearch();
  if (reason !== undefined) return reason;
  return await secureDistribution().then(
    () => undefined,
    (error: unknown) => `its missing parts can't be compiled: ${(error as Error).message.split('\n')[0]}`,
  );
};

/** Whether the temporary directory has room for a server's data. */
export async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs('/tmp');
  return bavail * bsize >= NEEDED_BYTES;
}

/** The unpacked server, from the cache or from Maven. */
export async function distribution(): Promise<string> {
  const directory = await cached('elasticsearch', [ARTIFACT, COPY_GOAL], async (into) => {
    await fetchArtifact(ARTIFACT, into);
    const zip = `elasticsearch-${VERSION}.zip`;
    const jar = join(await needJava(JAVA), 'bin/jar');
    if (existsSync(jar)) await must(jar, ['xf', zip], { cwd: into });
    else await must('unzip', ['-q', zip], { cwd: into });
    await must('sh', ['-c', `chmod -R a+rX . && chmod a+x elasticsearch-${VERSION}/bin/*`], { cwd: into });
    await rm(join(into, zip));
  });
  return join(directory, `elasticsearch-${VERSION}`);
}

const PARTS = 'MissingPartsPlugin';

/** The same with one more module, which API keys and data streams require. */
export async function secureDistribution(): Promise<string> {
  const plain = await distribution();
  const source = await readFile(javaSource(`${PARTS}.java`), 'utf8');
  const directory = await cached('elasticsearch-secure', [plain, source], async (into) => {
    const home = await needJava(JAVA, true);
    const classes = join(into, 'classes');
    await compile(home, `${PARTS}.java`, { classPath: `${plain}/lib/*`, into: classes, release: JAVA });
    await must('cp', ['-a', plain, join(into, 'server')]);
    const module = join(into, 'server/modules/missing-parts');
    await mkdir(module);
    await must(join(home, 'bin/jar'), ['cf', join(module, 'missing-parts.jar'), '-C', classes, 'kollapod']);
    const about = { name: 'missing-parts', classname: `kollapod.${PARTS}`, version: VERSION };
    await writeFile(join(module, 'plugin-descriptor.properties'), moduleDescriptor({ ...about, java: JAVA }));
    await must('chmod', ['-R', 'a+rX', into]);
  });
  return join(directory, 'server');
}

/** The descriptor of a module in Elasticsearch's format. */
export function moduleDescriptor(module: { name: string; classname: string; version: string; java: number }): string {
  const lines = [
    `name=${module.name}`,
    `description=${module.name}`,
    `classname=${module.classname}`,
    `version=${module.version}`,
    `elasticsearch.version=${module.version}`,
    `java.version=${module.java}`,
    'has.native.controller=false',
  ];
  return `${lines.join('\n')}\n`;
}

/** Arguments that turn uid 0 into another user; other uids need none. Undefined if that is impossible. */
export async function unprivileged(): Promise<readonly string[] | undefined> {
  if (process.getuid?.() !== 0) return [];
  const ways = [
    ['unshare', '--user', '--map-user=1000', '--map-group=1000'],
    ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  ];
  for (const [program = '', ...args] of ways) {
    const tried = await run(program, [...args, 'true']).catch(() => undefined);
    if (tried?.code === 0) return [program, ...args];
  }
  return undefined;
}
