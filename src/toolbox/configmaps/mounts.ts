import type { YamlValue } from '../../core/yaml-text.ts';
import { CONFIG_DIR } from '../../config/read.ts';
import type { ConfigObject } from './objects.ts';

/** As kolla-init plan names it, in whose output it takes the place of the volume of that name. */
const VOLUME = 'config-files';

/**
 * The projected volume in which every file is at its path again, so that kolla-init finds each `source`, and the init
 * container's mount of it: the folder itself, since a file mounted by subPath never changes.
 */
export function mountsOf(objects: readonly ConfigObject[]): YamlValue {
  return {
    volumes: [{ name: VOLUME, projected: { sources: objects.map(sourceOf) } }],
    volumeMounts: [{ name: VOLUME, mountPath: CONFIG_DIR, readOnly: true }],
  };
}

/** Without items where every key is its file's path. */
function sourceOf({ kind, metadata: { name }, items }: ConfigObject): YamlValue {
  const isPlain = items.every(({ key, path, mode }) => key === path && mode === undefined);
  const source = isPlain ? { name } : { name, items: items.map((item) => ({ ...item })) };
  return kind === 'Secret' ? { secret: source } : { configMap: source };
}
