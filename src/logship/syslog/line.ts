import type { SyslogMessage } from '../parse/syslog-message.ts';

/**
 * A message as one line of RFC 5424, whatever it came as: facility and severity are kept in its number, and its time has
 * a zone. Control characters in it, newlines above all, are written as rsyslog writes them: `#012`.
 */
export function lineOf({
  facility,
  severity,
  timeMs,
  host,
  program,
  pid,
  messageId,
  data,
  text,
}: SyslogMessage): string {
  const words = [new Date(timeMs).toISOString(), host, program, pid, messageId, data].map((word) => word ?? '-');
  return escaped(`<${facility * 8 + severity}>1 ${words.join(' ')} ${text}`);
}

/** As octal numbers: all but the tab, which lines of logs have. */
function escaped(text: string): string {
  return text
    .replace(/[\0\r\n]+$/, '')
    .replaceAll(/(?!\t)\p{Cc}/gu, (one) => `#${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
