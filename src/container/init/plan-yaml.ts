import { yamlText, type YamlValue } from '../../core/yaml-text.ts';
import type { EntryPlan, PlannedMount, PodPlan, PodSpec } from '../../config/volumes/index.ts';

/**
 * The spec as YAML, for a Deployment's template. Comments mark placeholders and caveats: possible data loss, required
 * restarts.
 */
export function planYaml(spec: PodSpec, { layout, entries }: Pick<PodPlan, 'layout' | 'entries'>): string {
  const comments = new Map<unknown, string>();
  for (const volume of spec.volumes) {
    const places = layout.places.filter((place) => place.volume === volume.name);
    const comment = volume.name === 'config-files' ? SOURCES : commentOn(places);
    if (comment !== undefined) comments.set(volume, comment);
  }
  for (const mount of spec.containers[0].volumeMounts) {
    const place = layout.places.find(({ path }) => path === mount.mountPath);
    const comment = place && commentOnMount(place, entries);
    if (comment !== undefined) comments.set(mount, comment);
  }
  // Copied, because an interface has no index signature and would not be a YamlValue.
  return yamlText({ spec } as unknown as YamlValue, (item) => comments.get(item));
}

const SOURCES = "Kolla's mount at /var/lib/kolla/config_files: list every ConfigMap and Secret with a part of it";

function commentOn(places: readonly PlannedMount[]): string | undefined {
  const [first] = places;
  switch (first?.purpose) {
    case 'config':
    case 'run':
      return "filled by kolla-init; in memory, so that no password is on a disk: it counts as the Pod's memory";
    case 'logs':
      return `${first.path}: lost with the Pod; share it with the log shipper`;
    case 'data':
      return `${first.path}: lost with the Pod; use a persistentVolumeClaim if the service keeps data there`;
    case 'temporary':
    case undefined:
      return undefined;
  }
}

/** Directories named only by ownership entries are created and filled by the service itself, such as Fernet keys. */
function commentOnMount({ path, purpose, reload }: PlannedMount, entries: readonly EntryPlan[]): string | undefined {
  if (reload === 'restart')
    return 'mounted by itself, since its directory is shared: a changed file is seen after a restart';
  const filled = entries.filter(({ entry }) => entry.startsWith('config_files')).map((entry) => entry.path);
  const own = entries.filter(
    ({ entry, path: named }) =>
      !entry.startsWith('config_files') &&
      named.startsWith(`${path}/`) &&
      !filled.some((dest) => `${dest}/`.startsWith(`${named}/`)),
  );
  if (purpose !== 'config' || own.length === 0) return undefined;
  return own
    .map(
      ({ entry, path: named }) => `${entry} names ${named}: mount a separate volume there if it must outlive the Pod`,
    )
    .join('\n');
}
