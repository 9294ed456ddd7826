/** A line's fields under Kolla's names. */
export type Fields = Record<string, string>;

const LINE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3}) (\d+) ([A-Z]+) (\S+) (.*)$/s;
/** Global request, request, user, project, domain, system scope, the user's domain, the project's domain. */
const CONTEXT = /^\[(?:None|req-(\S+)) req-(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\] ?(.*)$/s;

/**
 * A line as oslo.log writes it, with its time as text in `Timestamp`. As in Kolla's fluentd, request ids lose their
 * `req-`, and a context that is not whole (`[-]`) stays in the payload.
 * @returns undefined for any other line
 */
export function parseOslo(line: string): Fields | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [, Timestamp = '', Pid = '', log_level = '', python_module = '', rest = ''] = match;
  const fields: Fields = { Timestamp, Pid, log_level, python_module };
  const context = rest.startsWith('[') ? CONTEXT.exec(rest) : null;
  if (context === null) return { ...fields, Payload: rest };
  const [, global, request = '', user = '', tenant = '', domain = '', scope = '', userDomain = '', projectDomain = ''] =
    context;
  if (global !== undefined) fields['global_request_id'] = global;
  fields['request_id'] = request;
  fields['user_id'] = user;
  fields['tenant_id'] = tenant;
  fields['domain_id'] = domain;
  fields['system_scope'] = scope;
  fields['user_domain'] = userDomain;
  fields['project_domain'] = projectDomain;
  fields['Payload'] = context[9] ?? '';
  return fields;
}
