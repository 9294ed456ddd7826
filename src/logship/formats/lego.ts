import { DARK, without } from '../tables/byte-set.ts';
import { as, bad, either, maybe, place, rest, run, time } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/**
 * lego, the ACME client. Has no Timestamp field, for the same reason as Open vSwitch. Lines without a time belong to the previous
 * event.
 *
 *     2026/11/20 08:15:42 [INFO] text
 */
export const lego: FormatKind = {
  files: [{ directory: 'letsencrypt', file: /^letsencrypt-lego\.log$/, program: 'letsencrypt' }],
  table: {
    name: 'lego',
    otherwise: 'follows',
    line: [
      either(
        [
          time('Y/m/d H:M:S', 'undated'),
          place('begins'),
          either([' [', as('log_level', run(without(DARK, ']'))), ']', maybe(' '), rest('Payload')], [bad()]),
        ],
        [elsewhere, bad()],
      ),
    ],
  },
};
