/** Values of an upgrade under load: two replicas of what may have two. */
const REPLICAS = {
  keystone: ['api'],
  placement: ['api'],
  nova: ['api', 'metadata', 'scheduler'],
  'nova-cell': ['conductor'],
  neutron: ['server', 'rpc-server'],
  cinder: ['api', 'scheduler'],
  heat: ['api', 'engine'],
} as const;
/** As with a shared file system, which two replicas need. */
const TWO_OF_GLANCE = {
  workloads: {
    api: {
      replicas: 2,
      volumes: { images: { persistent: { accessModes: ['ReadWriteMany'] } } },
    },
  },
};

/** @param further values of charts  @returns values of all charts, in the form of a globals file */
export function twoOfEach(further: object = {}): object {
  const rows = Object.entries(REPLICAS).map(([chart, keys]) => {
    return [chart, { workloads: Object.fromEntries(keys.map((key) => [key, { replicas: 2 }])) }] as const;
  });
  return { global: { charts: { ...Object.fromEntries(rows), glance: TWO_OF_GLANCE, ...further } } };
}
