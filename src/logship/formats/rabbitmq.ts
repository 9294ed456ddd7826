import { ANY, WORD } from '../tables/byte-set.ts';
import { ahead, as, bad, either, exactly, maybe, place, rest, run, time } from '../tables/items.ts';
import { elsewhere } from './elsewhere.ts';
import type { FormatKind } from './format.ts';

/** The length of a date and time up to the seconds. */
const SECONDS = 19;

/**
 * RabbitMQ. Lines without a date and time belong to the previous event.
 *
 *     2026-11-20 08:15:42.123456+00:00 [info] <0.9.0> text
 */
export const rabbitmq: FormatKind = {
  files: [{ directory: 'rabbitmq', file: /^rabbit/, program: 'rabbitmq' }],
  table: {
    name: 'rabbitmq',
    otherwise: 'follows',
    line: [
      either(
        [
          ahead(exactly(SECONDS, ANY), '.'),
          as('Timestamp', time('Y-m-d H:M:SFc')),
          place('begins'),
          ' [',
          as('log_level', run(WORD)),
          ']',
          maybe(' '),
          rest('Payload'),
        ],
        [elsewhere, bad()],
      ),
    ],
  },
};
