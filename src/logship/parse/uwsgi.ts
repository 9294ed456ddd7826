import { ctime } from '../time/clock.ts';
import { groupsOf, LineRole, type Format } from './format.ts';

const REQUEST =
  /^\[pid: (?<Pid>\d+)\|app: (?<App>\d+)\|req: (?<Req>\d+\/\d+)\] (?<Address>\S+) \((?<User>[^)\n]*)\) \{(?<Vars>\d+) vars in (?<Bytes>\d+) bytes\} \[(?<Timestamp>\w+ \w+ +\d+ \d+:\d+:\d+ \d+)\] (?<Payload>.*)$/s;
const TIME_AT = / bytes\} \[(?=\w{3} \w{3} )/;
const TRACEBACK = 'Traceback (most recent call last):';

/**
 * uWSGI: its own messages, unparsed, and one line per request:
 * `[pid: 7|app: 0|req: 1/1] 10.0.0.1 () {32 vars in 412 bytes} [Fri Nov 20 08:15:42 2026] GET / => ...`.
 * A traceback is one event: indented lines and the following line.
 */
export function uwsgi(): Format {
  return {
    name: 'uwsgi',
    pid: 0,
    place(line, last) {
      if (line === TRACEBACK) return LineRole.begins;
      return last?.startsWith(TRACEBACK) === true && isOpen(last) ? LineRole.follows : LineRole.alone;
    },
    resumes: () => false,
    time(line, clock) {
      const before = TIME_AT.exec(line);
      return ctime(before === null ? line : line.slice(before.index + before[0].length), clock);
    },
    parse: (text) => groupsOf(REQUEST, text) ?? { Payload: text },
    stackTrace: (text) => (text.startsWith(TRACEBACK) ? text : undefined),
  };
}

/** Whether the line with the exception has not been read yet. */
function isOpen(traceback: string): boolean {
  const line = traceback.slice(traceback.lastIndexOf('\n') + 1);
  return line === TRACEBACK || line.startsWith(' ');
}
