import { as, bad, either, place, rest, time } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/**
 * xinetd. Lines without a time belong to the previous event.
 *
 *     26/11/20@8:15:42: START: mysqlchk from=10.0.0.1
 */
export const xinetd: FormatKind = {
  files: [{ directory: 'mariadb', file: /^xinetd\.log$/ }],
  table: {
    name: 'xinetd',
    otherwise: 'follows',
    line: [either([as('Timestamp', time('y/n/e@h:N:s')), ': ', place('begins'), rest('Payload')], [elsewhere, bad()])],
  },
};
