/**
 * A real OpenSearch 2 or 3 from Maven Central's jars, with the modules for logs and their templates; with security 3.4
 * on request. Parts not in Central are missing: Index State Management, Dashboards, and of 3.9 the ingest processors.
 *
 *   Maven -> lib/*.jar -> our main class (java/OpenSearchMain.java) compiled, once in the cache -> one JVM per server,
 *   with the classes archived by an earlier one
 *
 * 3 needs a JDK 21, 2 a 17.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { addMain, canRunOnClassPath, classPathOf, javaCommand, keptClasses } from './class-path-server.ts';
import { javaHome, javaSource, needJava } from './java.ts';
import { fetchArtifact, fetchWithDependencies } from './maven.ts';
import { SECURITY_PLUGIN, SECURITY_SETTINGS, writeSecurity } from './opensearch-security.ts';
import { startSearchServer, type SearchProgram, type SearchServer, type SearchServerOptions } from './search-server.ts';
import { commonSettings, newLogin } from './search-settings.ts';

/** `3-secure` is the newest with a security plugin in Maven Central. */
export type OpenSearchRelease = '2' | '3' | '3-secure';

interface Build {
  /** The newest of its line of which Maven Central has all parts below. */
  readonly version: string;
  readonly java: number;
  /** The version of its log4j API. */
  readonly log4j: string;
  /** Artifacts of plugins, with their classes. */
  readonly plugins: Readonly<Record<string, string>>;
  readonly security?: string;
}

const OF_3 = {
  'transport-netty4-client': 'org.opensearch.transport.Netty4ModulePlugin',
  'analysis-common': 'org.opensearch.analysis.common.CommonAnalysisModulePlugin',
  'mapper-extras-client': 'org.opensearch.index.mapper.MapperExtrasModulePlugin',
  'reindex-client': 'org.opensearch.index.reindex.ReindexModulePlugin',
};
const WITH_INGEST = { ...OF_3, 'ingest-common': 'org.opensearch.ingest.common.IngestCommonModulePlugin' };
const OF_2 = Object.fromEntries(
  Object.entries(WITH_INGEST).map(([artifact, name]) => [artifact, name.replace('ModulePlugin', 'Plugin')]),
);
const BUILDS: Readonly<Record<OpenSearchRelease, Build>> = {
  2: { version: '2.19.6', java: 17, log4j: '2.25.4', plugins: OF_2 },
  3: { version: '3.9.0', java: 21, log4j: '2.25.5', plugins: OF_3 },
  '3-secure': {
    version: '3.4.0',
    java: 21,
    log4j: '2.21.0',
    plugins: WITH_INGEST,
    security: 'org.opensearch.plugin:opensearch-security:3.4.0.0:zip',
  },
};
const COLLECTIONS = 'org.apache.commons:commons-collections4:4.5.0';
const MAIN = 'OpenSearchMain';

/** `3.9.0` */
export function openSearchVersion(release: OpenSearchRelease): string {
  return BUILDS[release].version;
}

/** Requires a JDK, disk space, and Maven or its cache. */
export function canRunOpenSearch(release: OpenSearchRelease): Capability {
  return canRunOnClassPath(BUILDS[release].java, () => programOf(release));
}

/** Starts a server and waits until it responds. */
export async function startOpenSearch(
  release: OpenSearchRelease,
  options: SearchServerOptions = {},
): Promise<SearchServer> {
  return await startSearchServer(await programOf(release), options);
}

async function programOf(release: OpenSearchRelease): Promise<SearchProgram> {
  const { java: atLeast, plugins, security } = BUILDS[release];
  const secured = security === undefined ? undefined : newLogin();
  const server = await jars(release);
  const java = await javaFor(atLeast);
  const classPath = await classPathOf(join(server, 'lib'), join(server, 'security'));
  const classes = [...Object.values(plugins), ...(secured ? [SECURITY_PLUGIN] : [])];
  const program = (jvm: readonly string[]): SearchProgram => ({
    kind: 'opensearch',
    ...(secured && { login: secured.login }),
    async configure(directory, settings) {
      if (secured) await writeSecurity(directory, join(server, 'security'), secured);
      const words = ['-cp', classPath, MAIN, directory, classes.join(',')];
      const types = secured ? SECURITY_SETTINGS : { 'transport.type': 'netty4', 'http.type': 'netty4' };
      return javaCommand(java, jvm, words, {
        ...commonSettings(directory),
        'node.name': 'test',
        ...types,
        ...settings,
      });
    },
  });
  return program(await keptClasses(java, server, program));
}

/** A newer Java archives classes better. */
async function javaFor(atLeast: number): Promise<string> {
  return (await javaHome(BUILDS[3].java, true)) ?? (await needJava(atLeast, true));
}

async function jars(release: OpenSearchRelease): Promise<string> {
  const { version, java, log4j, plugins, security } = BUILDS[release];
  const own = Object.keys(plugins).map((name) => `org.opensearch.plugin:${name}:${version}`);
  const artifacts = [
    `org.opensearch:opensearch:${version}`,
    ...own,
    `org.apache.logging.log4j:log4j-core:${log4j}`,
    COLLECTIONS,
  ];
  const source = await readFile(javaSource(`${MAIN}.java`), 'utf8');
  return await cached(`opensearch-${release}`, [...artifacts, source, security ?? '', 'in a jar'], async (into) => {
    await fetchWithDependencies(artifacts, into);
    await addMain(await needJava(java, true), MAIN, into);
    if (security !== undefined) await addSecurity(security, into);
  });
}

/** The plugin's jars, except for those in the server with another version, and its example configuration. */
async function addSecurity(artifact: string, into: string): Promise<void> {
  const unpacked = join(into, 'unpacked');
  await mkdir(unpacked);
  await fetchArtifact(artifact, unpacked);
  const zip = (await readdir(unpacked)).find((name) => name.endsWith('.zip')) ?? '';
  await must('unzip', ['-q', zip], { cwd: unpacked });
  const nameOf = (jar: string): string => jar.replace(/-\d.*$/, '');
  const has = new Set((await readdir(join(into, 'lib'))).map(nameOf));
  await mkdir(join(into, 'security'));
  for (const jar of (await readdir(unpacked)).filter((name) => name.endsWith('.jar') && !has.has(nameOf(name)))) {
    await cp(join(unpacked, jar), join(into, 'security', jar));
  }
  await cp(join(unpacked, 'config'), join(into, 'security/config'), { recursive: true });
  await rm(unpacked, { recursive: true });
  await writeFile(join(into, 'security/artifact'), artifact);
}
