import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, run } from '../../tools/process.ts';
import { compile, javaHome, javaSource, needJava } from './java.ts';
import { COPY_GOAL, fetchArtifact } from './maven.ts';

/** The newest of its line in Maven Central. */
export const ELASTICSEARCH_8 = '8.19.21';
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${ELASTICSEARCH_8}:zip`;
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
    const zip = `elasticsearch-${ELASTICSEARCH_8}.zip`;
    const jar = join(await needJava(JAVA), 'bin/jar');
    if (existsSync(jar)) await must(jar, ['xf', zip], { cwd: into });
    else await must('unzip', ['-q', zip], { cwd: into });
    await must('sh', ['-c', `chmod -R a+rX . && chmod a+x elasticsearch-${ELASTICSEARCH_8}/bin/*`], { cwd: into });
    await rm(join(into, zip));
  });
  return join(directory, `elasticsearch-${ELASTICSEARCH_8}`);
}

const PARTS = 'MissingPartsPlugin';

/** The same with one more module, which API keys and data streams require. */
export async function secureDistribution(): Promise<string> {
  const plain = await distribution();
  const source = await readFile(javaSource(`${PARTS}.java`), 'utf8');
  const directory = await cached('elasticsearch-secure', [plain, source], async (into) => {
    await must('cp', ['-a', plain, join(into, 'server')]);
    const server = join(into, 'server');
    await addParts({
      plugin: PARTS,
      home: await needJava(JAVA, true),
      lib: join(server, 'lib'),
      modules: join(server, 'modules'),
      version: ELASTICSEARCH_8,
      java: JAVA,
    });
    await must('chmod', ['-R', 'a+rX', into]);
  });
  return join(directory, 'server');
}

interface Parts {
  /** The class in package `kollapod`. */
  readonly plugin: string;
  /** Services, by the name of their interface, and the classes that provide them. */
  readonly services?: Readonly<Record<string, string>>;
  /** The home of a JDK. */
  readonly home: string;
  /** The directory of the server's jars. */
  readonly lib: string;
  /** The directory of the server's modules. */
  readonly modules: string;
  readonly version: string;
  readonly java: number;
}

/** Compiles a plugin of ours and adds it to a server as the module `missing-parts`. */
export async function addParts({ plugin, services = {}, home, lib, modules, version, java }: Parts): Promise<void> {
  const module = join(modules, 'missing-parts');
  const classes = join(module, 'classes');
  await compile(home, `${plugin}.java`, { classPath: `${lib}/*`, into: classes, release: java });
  await mkdir(join(classes, 'META-INF/services'), { recursive: true });
  for (const [name, provider] of Object.entries(services))
    await writeFile(join(classes, 'META-INF/services', name), `${provider}\n`);
  await must(join(home, 'bin/jar'), ['cf', join(module, 'missing-parts.jar'), '-C', classes, '.']);
  await rm(classes, { recursive: true });
  const about = { name: 'missing-parts', classname: `kollapod.${plugin}`, version, java };
  await writeFile(join(module, 'plugin-descriptor.properties'), moduleDescriptor(about));
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
