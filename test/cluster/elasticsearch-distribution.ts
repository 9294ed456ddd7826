import { existsSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../support/cache.ts';
import type { Capability } from '../support/capability.ts';
import { must, run } from '../support/process.ts';
import { COPY_GOAL, fetchArtifact } from './maven.ts';

const VERSION = '8.19.21';
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;
const NEEDED_BYTES = 1e9;

/** Java 17, room, a way not to be root, and Maven or what it fetched before. */
export const canRunElasticsearch: Capability = async () => {
  const java = await run('java', ['-version']).catch(() => undefined);
  const major = Number(/version "(\d+)/.exec(java?.stderr ?? '')?.[1] ?? 0);
  if (major < 17) return java === undefined ? 'no java' : `java ${major} is older than 17`;
  const { bavail, bsize } = await statfs('/tmp');
  if (bavail * bsize < NEEDED_BYTES) return 'less than 1 GB free in /tmp';
  if ((await unprivileged()) === undefined) return 'it refuses uid 0, and neither unshare nor setpriv can change that';
  try {
    await distribution();
  } catch (error) {
    return `Maven could not bring it: ${(error as Error).message.split('\n')[0]}`;
  }
  return undefined;
};

/** The unpacked server, from the cache or from Maven. */
export async function distribution(): Promise<string> {
  const folder = await cached('elasticsearch', [ARTIFACT, COPY_GOAL], async (into) => {
    await fetchArtifact(ARTIFACT, into);
    const zip = `elasticsearch-${VERSION}.zip`;
    const jar = join(await javaHome(), 'bin/jar');
    if (existsSync(jar)) await must(jar, ['xf', zip], { cwd: into });
    else await must('unzip', ['-q', zip], { cwd: into });
    await must('sh', ['-c', `chmod -R a+rX . && chmod a+x elasticsearch-${VERSION}/bin/*`], { cwd: into });
    await rm(join(into, zip));
  });
  return join(folder, `elasticsearch-${VERSION}`);
}

/** Where the `java` of the PATH lives. */
export async function javaHome(): Promise<string> {
  const { stderr } = await run('java', ['-XshowSettings:properties', '-version']);
  const home = /java\.home = (.+)/.exec(stderr)?.[1];
  if (home === undefined) throw new Error(`java does not tell its home: ${stderr.slice(0, 500)}`);
  return home;
}

/** The words that make uid 0 somebody else; none are needed for other uids. Undefined where it can't be done. */
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
