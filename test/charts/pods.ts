import type { KubeObject, Rendered } from './support.ts';

/** A Pod as created from one of the chart's objects. */
export interface PodOf {
  /** The object's kind and name: `Deployment/keystone`. */
  readonly of: string;
  readonly object: { readonly metadata: object; readonly spec: KubeObject };
  /** Why the Pod is not restricted. */
  readonly exempt: string | undefined;
}

/** The Pods of all workloads, Jobs and CronJobs, with the claims that a StatefulSet's controller would add. */
export function podsIn({ all }: Rendered): PodOf[] {
  return all.flatMap((object) => {
    const spec = object.kind === 'CronJob' ? object['spec'].jobTemplate.spec : object['spec'];
    const template = spec?.template as { metadata: KubeObject['metadata']; spec: KubeObject } | undefined;
    if (template === undefined) return [];
    const claims = ((spec.volumeClaimTemplates ?? []) as KubeObject[]).map(({ metadata: { name } }) => ({
      name,
      persistentVolumeClaim: { claimName: name },
    }));
    const volumes = [...(template.spec['volumes'] ?? []), ...claims];
    return [
      {
        of: `${object.kind}/${object.metadata.name}`,
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { ...template.metadata, name: object.metadata.name.slice(0, 63) },
          spec: { ...template.spec, volumes },
        },
        exempt: template.metadata.annotations?.['kolla-pod/not-restricted'],
      },
    ];
  });
}
