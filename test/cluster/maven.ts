import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../support/process.ts';

/** A plugin with a version, so that Maven asks for no newest one. */
export const COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

/**
 * Fetches one artifact's file into a folder. Maven's repository lies in it for as long as that takes: the usual one
 * is below the home that /etc/passwd names, which need not be ours to write.
 * @param artifact `group:name:version:type`
 */
export async function fetchArtifact(artifact: string, into: string): Promise<void> {
  const repository = join(into, 'repository');
  const where = [`-Dartifact=${artifact}`, `-DoutputDirectory=${into}`, `-Dmaven.repo.local=${repository}`];
  try {
    await must('mvn', ['--quiet', '--batch-mode', COPY_GOAL, ...where], { cwd: into });
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}
