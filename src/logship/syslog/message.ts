import { monthNamed, nearestTime } from '../time/wall.ts';
import type { Zone } from '../time/zone.ts';
import { FACILITIES, SEVERITIES } from './names.ts';

/** A parsed datagram. Parts that it lacks are undefined. */
export interface SyslogMessage {
  /** The facility, 0 to 23. */
  readonly facility: number;
  /** The severity, 0 to 7. */
  readonly severity: number;
  /** The message's timestamp or, if it has none, its arrival, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly host: string | undefined;
  readonly program: string | undefined;
  readonly pid: string | undefined;
  readonly messageId: string | undefined;
  /** The structured data, unparsed: `[id key="value"]`. */
  readonly data: string | undefined;
  readonly text: string;
}

interface Arrival {
  /** The arrival in milliseconds since the epoch. */
  readonly atMs: number;
  /** The zone for timestamps without one. */
  readonly zone: Zone;
}

/** The priority of a datagram without one is user.notice (RFC 3164, 4.3.3). */
const NO_PRIORITY = 13;

const HEAD_5424 = /^1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: |$)/s;
const TIME_3164 = /^(?<month>[A-Z][a-z]{2}) (?<day>[ \d]?\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) /;
const TAG = /^([^\s:[\]]{1,128})(?:\[([^\]\s]{1,128})\])?: ?/;

/** Parses RFC 5424, RFC 3164 as it is sent in practice (haproxy omits the host by default), or plain text. */
export function parseSyslog(datagram: string, arrival: Arrival): SyslogMessage {
  const priority = /^<(\d{1,3})>/.exec(datagram);
  const number = Number(priority?.[1] ?? NO_PRIORITY);
  const isPriority = priority !== null && number < FACILITIES.length * SEVERITIES.length;
  const rest = isPriority ? datagram.slice(priority[0].length) : datagram;
  const pri = isPriority ? number : NO_PRIORITY;
  const level = { facility: pri >> 3, severity: pri & 7 };
  return { ...level, ...(parse5424(rest, arrival) ?? parse3164(rest, arrival)) };
}

type Rest = Omit<SyslogMessage, 'facility' | 'severity'>;

function parse5424(text: string, { atMs }: Arrival): Rest | undefined {
  const head = HEAD_5424.exec(text);
  if (head === null) return undefined;
  const [all, time = '', host, program, pid, messageId, data] = head;
  const timeMs = time === '-' ? atMs : Date.parse(time);
  if (Number.isNaN(timeMs)) return undefined;
  return {
    timeMs,
    host: given(host),
    program: given(program),
    pid: given(pid),
    messageId: given(messageId),
    data: given(data),
    // RFC 5424 allows a byte order mark before UTF-8 text.
    text: text.slice(all.length).replace(/^\uFEFF/, ''),
  };
}

function given(word: string | undefined): string | undefined {
  return word === '-' ? undefined : word;
}

function parse3164(text: string, arrival: Arrival): Rest {
  const time = TIME_3164.exec(text);
  const timeMs = time === null ? NaN : time3164(time, arrival);
  const isTime = !Number.isNaN(timeMs);
  const behind = isTime ? text.slice(time?.[0].length) : text;
  // A word is a host only if it lacks the colon of a tag and follows a timestamp.
  const host = isTime && !TAG.test(behind) ? /^(\S+) (?=\S)/.exec(behind) : null;
  const tagged = host === null ? behind : behind.slice(host[0].length);
  const tag = TAG.exec(tagged);
  const isHost = host !== null && tag !== null;
  return {
    timeMs: isTime ? timeMs : arrival.atMs,
    host: isHost ? host[1] : undefined,
    program: tag?.[1],
    pid: tag?.[2],
    messageId: undefined,
    data: undefined,
    text: tag === null ? behind : tagged.slice(tag[0].length),
  };
}

/** Chooses the year that brings the time closest to its arrival. */
function time3164({ groups = {} }: RegExpExecArray, { atMs, zone }: Arrival): number {
  const { month = '', day, hour, minute, second } = groups;
  const wall = { month: monthNamed(month), day: Number(day), hour: Number(hour), minute: Number(minute) };
  const nearest = nearestTime({ ...wall, second: Number(second), ms: 0 }, { zone, lastMs: atMs, nearMs: atMs });
  // The header's resolution is a second: within the second of arrival, the arrival time is more precise.
  return atMs >= nearest && atMs < nearest + 1000 ? atMs : nearest;
}
