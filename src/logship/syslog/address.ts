import { messageOf, UsageError } from '../../core/errors.ts';
import { parseListen, type Address } from '../../net/address.ts';

const LOOPBACK = '127.0.0.1';

/**
 * `udp://ADDRESS:PORT`; without an address loopback alone, since whoever reaches the port may write log lines.
 * @throws UsageError
 */
export function syslogAddress(text: string): Address {
  if (text.startsWith('unix')) {
    throw new UsageError(
      `--syslog ${text}: Node has no Unix datagram sockets; let the program log to udp://127.0.0.1:5140, as haproxy can`,
    );
  }
  const rest = /^udp:\/\/([^/]+)\/?$/.exec(text)?.[1];
  if (rest === undefined)
    throw new UsageError(`--syslog '${text}' is not udp://ADDRESS:PORT, as in udp://127.0.0.1:5140`);
  try {
    const { host = LOOPBACK, port } = parseListen(rest);
    return { host, port };
  } catch (cause) {
    throw new UsageError(`--syslog: ${messageOf(cause)}`, { cause });
  }
}
