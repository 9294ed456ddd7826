import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../bundle.ts';
import { tagOf } from './images.ts';

/** Writes operator/: the CRDs, the admission policy, its page, and the manifest, whose image is the one of this release in `repository`. */
export async function writeOperator(directory: string, repository: string, page: string): Promise<void> {
  const place = join(directory, 'operator');
  await mkdir(place);
  await cp(join(ROOT, 'k8s/crds'), join(place, 'crds'), { recursive: true });
  await cp(join(ROOT, 'k8s/operator/policy.yaml'), join(place, 'policy.yaml'));
  await writeFile(join(place, 'README.md'), page);
  const manifest = await readFile(join(ROOT, 'k8s/operator/operator.yaml'), 'utf8');
  const named = manifest.replace(/(?<=^ +image: ).*$/m, `${repository}:${tagOf('operator')}`);
  await writeFile(join(place, 'operator.yaml'), named);
}
