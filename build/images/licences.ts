import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../bundle.ts';
import type { BundledPackage } from './bundled.ts';

const RULE = '='.repeat(80);

/**
 * The licences of everything in the binary, ours first: a list, then each text once. The base image's are in the image,
 * at Debian's paths.
 */
export async function licencesOf(packages: readonly BundledPackage[]): Promise<string> {
  const ours = await readFile(join(ROOT, 'LICENSE'), 'utf8');
  const texts = Map.groupBy(packages, ({ text }) => text.trim());
  return [
    'kolla-pod is under the licence Apache-2.0. What is shipped with this file holds:',
    '',
    ...packages.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`),
    '',
    ...section(['kolla-pod'], ours),
    ...[...texts].flatMap(([text, group]) =>
      section(
        group.map(({ name, version }) => `${name} ${version}`),
        text,
      ),
    ),
  ].join('\n');
}

function section(names: readonly string[], text: string): string[] {
  return [RULE, names.join(', '), RULE, '', text.trim(), ''];
}
