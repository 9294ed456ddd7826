import { ctime } from '../time/clock.ts';
import { groupsOf, shaped, type Fields, type Format } from './format.ts';
import { lego } from './lego.ts';

const BEGINS = /^(?:\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d|\[\w{3} \w{3} {1,2}\d)/;
const DEFAULT =
  /^\[[^\]]+\] \[(?:(?<module>[^\]:]*):)?(?<log_level>\w+)\](?: \[pid (?<Pid>\d+)(?::tid (?<tid>\d+))?\])?(?: \[client (?<client>[^\]]+)\])?/;
const NGINX = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(?<log_level>\w+)\] (?<Pid>\d+)#/;

/**
 * Apache's error log in Kolla's format (`2026-11-20 08:15:42.123456 text`), its default format, and nginx's. Lines
 * without a timestamp belong to the previous event. As in Kolla the payload is the whole event.
 */
export function apacheError(): Format {
  const nginx = lego();
  return shaped({
    name: 'apache-error',
    begins: BEGINS,
    time(line, clock, nearMs) {
      if (line.startsWith('[')) return ctime(line.slice(1), clock);
      return line.charAt(4) === '/' ? nginx.time(line, clock, nearMs) : clock.local(line);
    },
    parse(text): Fields | undefined {
      if (!BEGINS.test(text)) return undefined;
      return { Payload: text, ...(groupsOf(DEFAULT, text) ?? groupsOf(NGINX, text)) };
    },
  });
}
