import { ConfigError } from '../../src/core/errors.ts';

/**
 * The section of a version in a changelog in the format of Keep a Changelog, without its heading. A version that has no
 * date yet is headed `[Unreleased]: VERSION`.
 * @throws ConfigError if the changelog has no such section
 */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((text) => text.startsWith(`[${version}]`) || text.startsWith(`[Unreleased]: ${version}\n`));
  const body = own?.slice(own.indexOf('\n')).trim() ?? '';
  if (body === '')
    throw new ConfigError(`CHANGELOG.md: no changes under '## [${version}]' or '## [Unreleased]: ${version}'`);
  return `# Changes in ${version}\n\n${body}\n`;
}
