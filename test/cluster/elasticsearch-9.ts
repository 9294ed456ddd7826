/**
 * A real Elasticsearch 9 from Maven Central's jars: node and HTTP are real, except for its launcher (src:
 * java/ElasticsearchMain.java) and all modules but transport: no `GET /`, no security, no ILM. Parts of others are ours
 * (java/MissingPartsOf9Plugin.java): what data streams with a failure store need, and the processor `drop`.
 *
 *   Maven -> lib/*.jar -> netty as a separate module, our main class compiled, once in the cache -> one JVM per server,
 *   with the classes archived by an earlier one
 *
 * It needs a JDK 21. Its native zstd library is that of Elasticsearch 8.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { addMain, canRunOnClassPath, classPathOf, javaCommand, keptClasses } from './class-path-server.ts';
import { addParts, distribution, moduleDescriptor } from './elasticsearch-distribution.ts';
import { javaSource, needJava } from './java.ts';
import { fetchWithDependencies } from './maven.ts';
import { startSearchServer, type SearchProgram, type SearchServer, type SearchServerOptions } from './search-server.ts';
import { commonSettings } from './search-settings.ts';

/** The newest of its line in Maven Central. */
export const ELASTICSEARCH_9 = '9.5.3';
const ARTIFACTS = [
  `org.elasticsearch:elasticsearch:${ELASTICSEARCH_9}`,
  `org.elasticsearch.plugin:transport-netty4:${ELASTICSEARCH_9}`,
];
const JAVA = 21;
const MAIN = 'ElasticsearchMain';
const PARTS = 'MissingPartsOf9Plugin';
/** Jars to leave off the class path, because a module contains them. */
const OF_MODULE = /^(netty-|transport-netty4-|elasticsearch-ssl-config-)/;

/** Requires a JDK 21, disk space, and Maven or its cache. */
export const canRunElasticsearch9: Capability = canRunOnClassPath(JAVA, programOf);

/** Starts a server and waits until it responds. */
export async function startElasticsearch9(options: SearchServerOptions = {}): Promise<SearchServer> {
  return await startSearchServer(await programOf(), options);
}

async function programOf(): Promise<SearchProgram> {
  const server = await jars();
  const java = await needJava(JAVA, true);
  const native = join(await distribution(), `lib/platform/linux-${process.arch}`);
  const classPath = await classPathOf(join(server, 'lib'));
  const program = (more: readonly string[]): SearchProgram => ({
    kind: 'elasticsearch',
    configure(directory, settings) {
      const jvm = [
        ...more,
        `-Des.nativelibs.path=${native}`,
        // The vector library of Elasticsearch 8 is not compatible.
        '-Dorg.elasticsearch.nativeaccess.enableVectorLibrary=false',
      ];
      const words = ['-cp', classPath, MAIN, join(server, 'home'), join(directory, 'config')];
      const all = { ...commonSettings(directory), 'node.name': 'test', ...settings };
      return Promise.resolve(javaCommand(java, jvm, words, all));
    },
  });
  return program(await keptClasses(java, server, program));
}

async function jars(): Promise<string> {
  const sources = await Promise.all([MAIN, PARTS].map((name) => readFile(javaSource(`${name}.java`), 'utf8')));
  return await cached('elasticsearch-9', [...ARTIFACTS, ...sources, 'in a jar'], async (into) => {
    await fetchWithDependencies(ARTIFACTS, into);
    const home = await needJava(JAVA, true);
    await addMain(home, MAIN, into);
    const lib = join(into, 'lib');
    const module = join(into, 'home/modules/transport-netty4');
    await Promise.all([module, join(into, 'home/plugins')].map((each) => mkdir(each, { recursive: true })));
    for (const jar of await readdir(lib)) if (OF_MODULE.test(jar)) await rename(join(lib, jar), join(module, jar));
    const classname = 'org.elasticsearch.transport.netty4.Netty4Plugin';
    const about = { name: 'transport-netty4', classname, version: ELASTICSEARCH_9, java: JAVA };
    await writeFile(join(module, 'plugin-descriptor.properties'), moduleDescriptor(about));
    await addParts({
      plugin: PARTS,
      services: { 'org.elasticsearch.features.FeatureSpecification': `kollapod.${PARTS}$Features` },
      home,
      lib,
      modules: join(into, 'home/modules'),
      version: ELASTICSEARCH_9,
      java: JAVA,
    });
  });
}
