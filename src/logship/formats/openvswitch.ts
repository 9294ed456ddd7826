import { ANY, DARK, DIGIT, WORD, without } from '../tables/byte-set.ts';
import { ahead, as, bad, either, exactly, maybe, place, rest, run, time } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

const word = run(without(DARK, '|'));
/** The length of a date and time up to the seconds. */
const SECONDS = 19;

/**
 * Open vSwitch and OVN. Has no Timestamp field, as in Kolla: a server that sees this format first would map it as a date and
 * reject documents of oslo.log. Lines without a time belong to the previous event, except for a crash,
 * which a signal handler writes without time and level.
 *
 *     2026-11-20T08:15:42.123Z|00012|bridge|INFO|text
 *     SIGSEGV detected, backtrace:
 */
export const openvswitch: FormatKind = {
  files: [
    { directory: 'openvswitch', file: /^ovs-vswitchd\.log$/, program: 'openvswitch' },
    { directory: 'openvswitch', file: /^ovsdb-server\.log$/, program: 'openvswitchdb' },
    { directory: 'openvswitch', file: /^ovn-controller\.log$/, program: 'ovn_controller' },
    { directory: 'openvswitch', file: /^ovn-nb-db\.log$/, program: 'ovn_nb_db' },
    { directory: 'openvswitch', file: /^ovn-northd\.log$/, program: 'ovn_northd' },
    { directory: 'openvswitch', file: /^ovn-sb-db\.log$/, program: 'ovn_sb_db' },
    { directory: 'openvswitch', file: /^ov[ns]/ },
  ],
  table: {
    name: 'openvswitch',
    otherwise: 'follows',
    line: [
      either(
        [
          ahead(exactly(SECONDS, ANY), '.', exactly(3, DIGIT), maybe('Z'), '|'),
          time('Y-m-dTH:M:SFU', 'undated'),
          place('begins'),
          maybe('Z'),
          '|',
          either(
            [as('sequence', run(DIGIT)), '|', as('module', word), '|', as('log_level', word), '|', rest('Payload')],
            [bad()],
          ),
        ],
        [rest('Payload', 'SIG', run(WORD), ' detected, backtrace:', place('begins'))],
        [elsewhere, bad()],
      ),
    ],
  },
};
