/**
 * Receives syslog into files, for programs that log to nothing else, such as haproxy.
 *
 *   udp://127.0.0.1:5140 -> receiver (datagrams) -> parse/syslog (RFC 5424, 3164 or neither: facility, severity, time,
 *   program, text) -> files (one line of RFC 5424 each, in haproxy/haproxy.log, syslog/PROGRAM.log in the log root)
 *
 * From there lines are shipped like all others, so an outage of the server loses none of them. Before the file, lines
 * can be lost as always with UDP: while we are not running, when the kernel's buffer is full (counted), when the disk
 * is full (counted and logged). On shutdown, received messages are written before the files are read to the end. Fails
 * only at the start: ConfigError if the address is in use, NotPermittedError for a privileged port.
 */
export { openSyslog, type Syslog } from './receiver.ts';
