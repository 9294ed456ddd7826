import { ANY, bytesOf, DARK, DIGIT } from '../tables/byte-set.ts';
import { as, bad, either, eol, exactly, maybe, place, rest, run, time, within } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/** The length of a date and time up to the seconds. */
const SECONDS = 19;

/**
 * libvirt's daemons. Lines without a time belong to the previous event.
 *
 *     2026-11-20 08:15:42.123+0000: 7: error : function:12 : text
 */
export const libvirt: FormatKind = {
  files: [{ directory: 'libvirt', file: /^(?:libvirtd|virt\w+d)\.log$/, program: 'libvirt' }],
  table: {
    name: 'libvirt',
    otherwise: 'follows',
    line: [
      either(
        [
          as('Timestamp', time('Y-m-d H:M:SFZ')),
          ': ',
          within(
            'Timestamp',
            exactly(SECONDS, ANY),
            '.',
            exactly(3, DIGIT),
            exactly(1, bytesOf('+-')),
            exactly(4, DIGIT),
            eol(),
          ),
          place('begins'),
          either([as('Pid', run(DIGIT)), ': ', as('log_level', run(DARK)), ' :', maybe(' '), rest('Payload')], [bad()]),
        ],
        [elsewhere, bad()],
      ),
    ],
  },
};
