import { api, listener, type Probe } from './probe.ts';

/** Infrastructure of OpenStack. It has no schema or account to prepare; each can be checked. */
export interface Infrastructure {
  readonly name: string;
  readonly summary: string;
  readonly probes: readonly Probe[];
}

export const INFRASTRUCTURE: readonly Infrastructure[] = [
  {
    name: 'etcd',
    summary: 'Coordination',
    probes: [
      {
        ...api('etcd', 2379, '/health'),
        notes: 'Healthy only with a leader: without quorum no member is ready, but a restart would not help.',
      },
    ],
  },
  {
    name: 'grafana',
    summary: 'Dashboards',
    probes: [{ ...api('grafana', 3000, '/api/health'), notes: 'Healthy only while its database is reachable.' }],
  },
  {
    name: 'loadbalancer',
    summary: 'HAProxy and ProxySQL',
    probes: [
      api('haproxy', 61_313),
      listener('haproxy_ssh', 'sshd', 2985),
      { ...listener('proxysql', 'proxysql', 6032), notes: 'Port 6032 is the admin interface.' },
    ],
  },
  {
    name: 'mariadb',
    summary: 'Database (Galera)',
    probes: [
      {
        container: 'mariadb',
        declared: '/usr/bin/healthcheck.sh --defaults-file /etc/mysql/healthcheck.cnf --connect --galera_online',
        liveness: 'galera --defaults-file /etc/mysql/healthcheck.cnf --unless-disconnected',
        readiness: 'galera --defaults-file /etc/mysql/healthcheck.cnf',
        notes:
          'It accepts no connections while it receives a state transfer, which may take hours: liveness accepts that, and fails only when the node has disconnected from its cluster.',
      },
    ],
  },
  {
    name: 'memcached',
    summary: 'Caches',
    probes: [{ ...listener('memcached', 'memcached', 11_211), readiness: 'memcached 127.0.0.1:11211' }],
  },
  {
    name: 'opensearch',
    summary: 'Logs and dashboards',
    probes: [api('opensearch', 9200), api('opensearch_dashboards', 5601)],
  },
  {
    name: 'openvswitch',
    summary: 'Virtual switches',
    probes: [
      {
        container: 'openvswitch_db',
        declared: 'ovsdb-client list-dbs',
        liveness: 'process ovsdb-server',
        readiness: 'socket /run/openvswitch/db.sock --process ovsdb-server',
      },
      {
        container: 'openvswitch_vswitchd',
        declared: 'ovs-appctl version',
        liveness: 'process ovs-vswitchd',
        readiness: 'command -- ovs-appctl version',
        notes: 'The path of its control socket contains its process id.',
      },
    ],
  },
  {
    name: 'prometheus',
    summary: 'Alerts',
    probes: [
      {
        ...api('prometheus_alertmanager', 9093, '/-/healthy'),
        notes: 'Declared by kolla-ansible after release 22.',
      },
    ],
  },
  {
    name: 'rabbitmq',
    summary: 'Message broker',
    probes: [
      {
        container: 'rabbitmq',
        declared: 'healthcheck_rabbitmq',
        liveness: 'process beam.smp',
        readiness: 'rabbitmq 127.0.0.1',
        notes:
          'Alarms are checked only with --management and a login, and a quorum of RabbitMQ 4 only with --declare and a ' +
          'login. A member of RabbitMQ 3 paused in a minority closes its port, and recovers by itself.',
      },
    ],
  },
  {
    name: 'valkey',
    summary: 'Caches and locks',
    probes: [
      { ...listener('valkey_server', 'valkey-server', 6379), readiness: 'redis 127.0.0.1:6379' },
      { ...listener('valkey_sentinel', 'valkey-sentinel', 26_379), readiness: 'redis 127.0.0.1:26379' },
    ],
  },
];
