/** Facilities by number (RFC 5424, 6.2.1), with the names of syslog.conf. */
export const FACILITIES = (
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock ' +
  'local0 local1 local2 local3 local4 local5 local6 local7'
).split(' ');
export const SEVERITIES = 'emerg alert crit err warning notice info debug'.split(' ');
