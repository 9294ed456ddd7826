import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../tools/process.ts';

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';
/** A fixed plugin version, so that Maven does not look for the newest one. */
export const COPY_GOAL: string = `${PLUGIN}:copy`;
const COPY_ALL_GOAL = `${PLUGIN}:copy-dependencies`;

/**
 * Fetches one artifact's file into a directory, which also contains Maven's repository meanwhile: the default one is
 * below the home in /etc/passwd, which may not be writable.
 * @param artifact `group:name:version:type`
 */
export async function fetchArtifact(artifact: string, into: string): Promise<void> {
  await maven(COPY_GOAL, into, [`-Dartifact=${artifact}`, `-DoutputDirectory=${into}`]);
}

/**
 * Fetches jars with their runtime dependencies into `into/lib`.
 * @param artifacts `group:name`
 */
export async function fetchWithDependencies(artifacts: readonly string[], into: string): Promise<void> {
  const pom = join(into, 'pom.xml');
  await writeFile(pom, pomOf(artifacts));
  const lib = join(into, 'lib');
  await maven(COPY_ALL_GOAL, into, ['-f', pom, '-DincludeScope=runtime', `-DoutputDirectory=${lib}`]);
}

async function maven(goal: string, into: string, words: readonly string[]): Promise<void> {
  const repository = join(into, 'repository');
  try {
    await must('mvn', ['--quiet', '--batch-mode', goal, ...words, `-Dmaven.repo.local=${repository}`], { cwd: into });
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

function pomOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>kolla-pod</groupId><artifactId>test-server</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies></project>\n`;
}
