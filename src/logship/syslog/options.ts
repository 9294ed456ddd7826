import type { Option } from '../../cli/option.ts';

/** For programs that log by syslog alone. */
export const SYSLOG_OPTIONS = [
  {
    flag: 'syslog',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_SYSLOG',
    help: 'take syslog here, write it to haproxy/haproxy.log or syslog/PROGRAM.log in --root, and ship it from there',
    example: 'udp://127.0.0.1:5140',
  },
] as const satisfies readonly Option[];
