import type { Clock } from '../time/clock.ts';
import { LineRole, type Fields, type Format } from './format.ts';

const [ZERO, NINE, DASH, DOT, COMMA, COLON, SPACE, A, Z, OPEN] = [48, 57, 45, 46, 44, 58, 32, 65, 90, 91, 93, 34, 92];
/** Length of the prefix of request ids: `req-`. */
const REQ = 4;
/** The fields of a context, in the order after the request ID. */
const WORDS = ['user_id', 'tenant_id', 'domain_id', 'system_scope', 'user_domain', 'project_domain'] as const;
const NAMES = ['global_request_id', 'request_id', ...WORDS] as const;

/**
 * Lines of oslo.log: `date time pid LEVEL module [context] message`. Traceback lines have their own prefix, with the
 * same time, process and module, always at ERROR (formerly TRACE) and without a context, but possibly with an instance.
 * Lines without a prefix continue a message with newlines, so they belong to the event written last.
 * As in Kolla's fluentd request ids lose `req-`, and an incomplete context (`[-]`) stays in the payload.
 */
export class Oslo implements Format {
  readonly name = 'oslo';
  pid = 0;
  /**
   * Positions in the line that was scanned last: the ends of time, pid, level and module. `rest` is the start of the
   * remaining text.
   */
  #time = 0;
  #pid = 0;
  #level = 0;
  #module = 0;
  #rest = 0;
  /** Start positions of the context's eight words, which spaces separate, and the end of the last word. */
  readonly #words = new Int32Array(9);
  /** Whether the first word is a request ID and not None. */
  #hasGlobal = false;
  #payload = 0;
  /** The minute of the line that was scanned last: `2026-11-20 08:15:`. */
  #minute = '-';

  place(line: string): LineRole {
    if (!this.#scan(line)) return LineRole.follows;
    return this.#isError(line) && !this.#hasContext(line) ? LineRole.resumes : LineRole.begins;
  }

  /** Whether the line belongs to the same record: time, process and module are then equal. */
  resumes(event: string, line: string): boolean {
    const [head, pid, level, module] = [this.#time, this.#pid, this.#level, this.#module];
    if (!event.startsWith(line.slice(0, pid)) || !this.#scan(event)) return false;
    return this.#time === head && event.slice(this.#level, this.#module) === line.slice(level, module);
  }

  time(line: string, clock: Clock): number {
    return clock.zoned(line);
  }

  parse(text: string): Fields | undefined {
    if (!this.#scan(text)) return undefined;
    const fields: Fields = {
      Timestamp: text.slice(0, this.#time),
      Pid: text.slice(this.#time + 1, this.#pid),
      log_level: text.slice(this.#pid + 1, this.#level),
      python_module: text.slice(this.#level + 1, this.#module),
    };
    if (this.#scanContext(text)) {
      const words = this.#words;
      for (const [i, name] of NAMES.entries())
        if (i > 0 || this.#hasGlobal) fields[name] = text.slice(words[i]! + (i < 2 ? REQ : 0), words[i + 1]! - 1);
    }
    fields['Payload'] = text.slice(this.#payload);
    return fields;
  }

  json(text: string, before: string, after: string): string | undefined {
    if (!this.#scan(text)) return undefined;
    const hasContext = this.#scanContext(text);
    const isWhole = isPlain(text);
    if (!isWhole && !isPlain(text.slice(0, this.#payload))) return undefined;
    const pid = this.#pid;
    const level = this.#level;
    const rest = text.slice(this.#payload);
    const payload = isWhole ? `"${rest}"` : JSON.stringify(rest);
    const head = `${before}"Timestamp":"${text.slice(0, this.#time)}","Pid":"${text.slice(this.#time + 1, pid)}","log_level":"${text.slice(pid + 1, level)}","python_module":"${text.slice(level + 1, this.#module)}",`;
    if (!hasContext) return `${head}"Payload":${payload}${after}`;
    const at = this.#words;
    const [request, user, tenant, domain] = [at[1]!, at[2]!, at[3]!, at[4]!];
    const global = this.#hasGlobal ? `"global_request_id":"${text.slice(at[0]! + REQ, request - 1)}",` : '';
    return `${head}${global}"request_id":"${text.slice(request + REQ, user - 1)}","user_id":"${text.slice(user, tenant - 1)}","tenant_id":"${text.slice(tenant, domain - 1)}","domain_id":"${text.slice(domain, at[5]! - 1)}","system_scope":"${text.slice(at[5], at[6]! - 1)}","user_domain":"${text.slice(at[6], at[7]! - 1)}","project_domain":"${text.slice(at[7], at[8]! - 1)}","Payload":${payload}${after}`;
  }

  /** The event's lines without their prefixes, if they contain a traceback. */
  stackTrace(text: string): string | undefined {
    const [first = '', ...lines] = text.split('\n');
    if (!this.#scan(first) || !lines.some((line) => line.includes('Traceback (most recent call last):')))
      return undefined;
    const head = first.slice(0, this.#pid);
    const bare = lines.map((line) => (line.startsWith(head) && this.#scan(line) ? line.slice(this.#rest) : line));
    return bare.join('\n');
  }

  #isError(line: string): boolean {
    const length = this.#level - this.#pid - 1;
    return length === 5 && (line.startsWith('ERROR', this.#pid + 1) || line.startsWith('TRACE', this.#pid + 1));
  }

  /** Whether a context follows, complete or not. Traceback lines have none. */
  #hasContext(line: string): boolean {
    if (line.charCodeAt(this.#rest) !== OPEN) return false;
    return (
      line.startsWith('-]', this.#rest + 1) ||
      line.startsWith('req-', this.#rest + 1) ||
      line.startsWith('None', this.#rest + 1)
    );
  }

  /** Parses the prefix of a line. */
  #scan(text: string): boolean {
    // Lines are in order, so most start with the same minute.
    if (!text.startsWith(this.#minute)) {
      if (!isMinute(text)) return false;
      this.#minute = text.slice(0, 17);
    }
    if (!isDigit(text.charCodeAt(17)) || !isDigit(text.charCodeAt(18))) return false;
    let at = 19;
    const mark = text.charCodeAt(at);
    if (mark === DOT || mark === COMMA) {
      at = behindDigits(text, at + 1);
      if (at === 20) return false;
    }
    if (text.charCodeAt(at) !== SPACE) return false;
    this.#time = at;
    let pid = 0;
    for (at++; isDigit(text.charCodeAt(at)); at++) pid = pid * 10 + text.charCodeAt(at) - ZERO;
    if (at === this.#time + 1 || text.charCodeAt(at) !== SPACE) return false;
    this.pid = pid;
    this.#pid = at;
    for (at++; isUpper(text.charCodeAt(at)); at++);
    if (at === this.#pid + 1 || text.charCodeAt(at) !== SPACE) return false;
    this.#level = at;
    for (at++; text.charCodeAt(at) > SPACE; at++);
    if (at === this.#level + 1 || (at < text.length && text.charCodeAt(at) !== SPACE)) return false;
    this.#module = at;
    this.#rest = Math.min(at + 1, text.length);
    return true;
  }

  /**
   * `[None req-.. user tenant domain scope user_domain project_domain]`, or with a global request id instead of None.
   */
  #scanContext(text: string): boolean {
    this.#payload = this.#rest;
    let at = this.#rest + 1;
    if (text.charCodeAt(at - 1) !== OPEN) return false;
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const words = this.#words;
    for (let word = 0; word < 7; word++) {
      const space = text.indexOf(' ', at);
      if (space === at || space === -1 || space >= end) return false;
      words[word] = at;
      at = space + 1;
    }
    const space = text.indexOf(' ', at);
    const close = text.lastIndexOf(']', (space === -1 || space > end ? end : space) - 1);
    if (close <= at || !text.startsWith('req-', words[1])) return false;
    this.#hasGlobal = text.startsWith('req-', words[0]);
    if (!this.#hasGlobal && !text.startsWith('None ', words[0])) return false;
    words[7] = at;
    words[8] = close + 1;
    this.#payload = text.charCodeAt(close + 1) === SPACE ? close + 2 : close + 1;
    return true;
  }
}

/** Whether a text can be written to JSON without escaping. */
function isPlain(text: string): boolean {
  return JSON.stringify(text).length === text.length + 2;
}

function isMinute(text: string): boolean {
  return (
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === SPACE &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    behindDigits(text, 0) === 4 &&
    behindDigits(text, 5) === 7 &&
    behindDigits(text, 8) === 10 &&
    behindDigits(text, 11) === 13 &&
    behindDigits(text, 14) === 16
  );
}

function behindDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isUpper(code: number): boolean {
  return code >= A && code <= Z;
}
