import type { PodFile } from '../../cli/file.ts';
import type { Overlay } from '../../config/overlays/index.ts';

/**
 * The values of this pod that kolla-pod.yaml sets in its files. The same for all that read config.json: apply, check, plan and
 * watch. Undefined without such a section.
 * @param podFile the context's
 * @param inherited the context's: our caller's environment
 * @throws ConfigError with every problem and its place
 */
export async function overlayFrom(
  podFile: PodFile | undefined,
  inherited: NodeJS.ProcessEnv,
): Promise<Overlay | undefined> {
  const section = podFile?.sectionOf('overlays');
  if (podFile === undefined || section === undefined) return undefined;
  const { makeOverlay } = await import('../../config/overlays/index.ts');
  return makeOverlay(podFile.file, section, inherited);
}

/**
 * The names of the environment that kolla-pod.yaml's overlays may need, without looking at their values: for a Pod spec.
 * @throws ConfigError with every problem and its place
 */
export async function namesForOverlays(podFile: PodFile | undefined): Promise<readonly string[]> {
  const section = podFile?.sectionOf('overlays');
  if (podFile === undefined || section === undefined) return [];
  const { overlayNames } = await import('../../config/overlays/index.ts');
  return overlayNames(podFile.file, section);
}
