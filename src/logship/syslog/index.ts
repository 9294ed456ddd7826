/**
 * Syslog into files: for programs that log to nothing else, as haproxy does.
 *
 *   udp://127.0.0.1:5140 -> receiver (datagrams) -> parse/syslog (RFC 5424 or 3164, or neither: facility, severity, time,
 *   program, text) -> files (one line of RFC 5424 each, in haproxy/haproxy.log, syslog/PROGRAM.log in the log root)
 *
 * From there the lines are shipped like all others, so a server that is down loses none of them. What comes before a file can
 * lose some, as UDP does: when we don't run, when the kernel's buffer is full (counted), when the disk is full
 * (lost, counted and said). At a stop what has come is in the files before they are read to their end.
 * Fails at the start alone: ConfigError for an address that is taken, NotPermittedError for a port that needs root.
 */
export { openSyslog, type Syslog } from './receiver.ts';
