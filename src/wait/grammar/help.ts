import type { Note } from '../../cli/command.ts';

/** The grammar of a wait, for --help and the manual page, since images do not contain docs/. */
export const WAIT_NOTES: readonly Note[] = [
  {
    heading: 'Waits',
    rows: [
      ['job/NAME', 'Job is Complete; a failed Job ends the wait (69)'],
      ['db-sync/NAME', "schema is ready according to kolla-db-sync's Lease"],
      ['service/NAME', 'Service has a ready endpoint'],
      ['pod/NAME', 'Pod is Ready'],
      ['container/NAME', 'another container of this Pod is ready'],
      ['deployment/NAME', 'rollout is complete; also statefulset/NAME'],
      ['daemonset/NAME', "the DaemonSet's Pod on this node is Ready"],
      ['node/NAME', 'Node is Ready'],
      ['configmap/NAME', 'object exists; also secret/NAME'],
      ['RESOURCE.GROUP/NAME', 'object exists, of any API resource'],
      ['tcp://HOST:PORT', 'server accepts connections'],
      ['https://HOST/PATH', 'GET returns a status below 400; also http://'],
      ['mysql://HOST[:3306]', 'server sends its greeting; also amqp://, amqps://, memcached://'],
      ['file:/PATH', 'file exists'],
      ['socket:/PATH', 'Unix socket accepts connections'],
      ['!WAIT', 'negates the wait'],
    ],
  },
  {
    heading: 'Wait options, as in job/NAME@NAMESPACE?OPTION&OPTION',
    rows: [
      ['label=KEY=VALUE', 'objects with this label, instead of /NAME: pod?label=app=ovs'],
      ['condition=Ready', 'this condition instead of the default'],
      ['jsonpath={.a.b}=VALUE', 'this field has that value'],
      ['release=ID', 'only objects of this release'],
      ['node=own', "only on this Pod's node"],
      ['db-sync=NAME', 'migration whose Lease is used if the Job was deleted'],
      ['timeout=5m', 'separate deadline; in a URL after #: http://a/#timeout=5m'],
    ],
  },
];
