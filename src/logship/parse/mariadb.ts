import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^(?:(?:\d{4}-\d\d-\d\d|\d{6}) |WSREP_SST: )/;
const TIME = /^(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)(\d\d)(\d\d)) {1,2}(\d{1,2}):(\d{1,2}):(\d{1,2})/;
const STAMP = '(?:\\d{4}-\\d\\d-\\d\\d|\\d{6}) {1,2}\\d{1,2}:\\d{1,2}:\\d{1,2}';
const LINE = new RegExp(`^(?<timestamp>${STAMP}) +(?<Payload>(?:\\w+ +)?(?:\\[(?<log_level>\\w+)\\])?.*)$`, 's');
/** A line of the script that copies a node of Galera: its time is the last thing in it. */
const TRANSFER_TIME = /\((\d{4})(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})\)$/m;
const TRANSFER =
  /^(?=WSREP_SST: (?:\[(?<log_level>\w+)\])?(?:.*?\((?<timestamp>\d{8} \d\d:\d\d:\d\d\.\d{3})\)$)?)(?<Payload>.*)/ms;

/**
 * MariaDB: `2026-11-20 8:15:42 7 [Note] text`, and mysqld_safe: `261120 08:15:42 mysqld_safe text`, and a state
 * transfer: `WSREP_SST: [INFO] text (20261120 08:15:42.123)`. As in Kolla the thread and the level stay in the payload, and
 * so does a transfer's time. Lines without a date, such as a stack trace, belong to the previous event.
 */
export function mariadb(): Format {
  return shaped({
    name: 'mariadb',
    begins: BEGINS,
    time(line, clock) {
      const transfer = line.startsWith('W') ? TRANSFER_TIME.exec(line)?.slice(1).map(Number) : undefined;
      if (transfer !== undefined) {
        const [year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN, ms = NaN] = transfer;
        return clock.wall({ year, month, day, hour, minute, second, ms });
      }
      const parts = TIME.exec(line)?.slice(1).map(Number);
      if (parts === undefined) return NaN;
      const [longYear = NaN, ...rest] = parts;
      const [month = NaN, day = NaN] = Number.isNaN(longYear) ? rest.slice(3) : rest;
      const [hour = NaN, minute = NaN, second = NaN] = parts.slice(6);
      const year = Number.isNaN(longYear) ? 2000 + parts[3]! : longYear;
      return clock.wall({ year, month, day, hour, minute, second });
    },
    parse: (text) => groupsOf(LINE, text) ?? groupsOf(TRANSFER, text),
  });
}
