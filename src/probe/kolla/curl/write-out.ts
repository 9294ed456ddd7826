/** What is known of a transfer at its end; times in seconds since its beginning, 0 for what was not reached. */
export interface Facts {
  readonly httpCode: number;
  readonly remote: Side;
  readonly local: Side;
  readonly nameLookup: number;
  readonly connected: number;
  readonly tlsConnected: number;
  readonly requested: number;
  readonly answered: number;
  readonly total: number;
  readonly bytes: number;
  readonly contentType: string;
  readonly httpVersion: string;
  readonly location: string;
  readonly method: string;
  readonly url: string;
  readonly isTls: boolean;
  readonly exitCode: number;
  readonly error: string;
}

interface Side {
  readonly address: string;
  readonly port: number;
}

const VARIABLES: Readonly<Record<string, (facts: Facts) => string>> = {
  http_code: ({ httpCode }) => code(httpCode),
  response_code: ({ httpCode }) => code(httpCode),
  remote_ip: ({ remote }) => remote.address,
  remote_port: ({ remote }) => `${remote.port}`,
  local_ip: ({ local }) => local.address,
  local_port: ({ local }) => `${local.port}`,
  time_namelookup: ({ nameLookup }) => seconds(nameLookup),
  time_connect: ({ connected }) => seconds(connected),
  time_appconnect: ({ tlsConnected }) => seconds(tlsConnected),
  time_pretransfer: ({ requested }) => seconds(requested),
  time_starttransfer: ({ answered }) => seconds(answered),
  time_redirect: () => seconds(0),
  time_total: ({ total }) => seconds(total),
  size_download: ({ bytes }) => `${bytes}`,
  speed_download: ({ bytes, total }) => `${total > 0 ? Math.floor(bytes / total) : 0}`,
  content_type: ({ contentType }) => contentType,
  http_version: ({ httpVersion }) => httpVersion,
  num_connects: ({ connected }) => (connected > 0 ? '1' : '0'),
  num_redirects: () => '0',
  redirect_url: ({ location }) => location,
  method: ({ method }) => method,
  url: ({ url }) => url,
  url_effective: ({ url }) => url,
  scheme: ({ isTls }) => (isTls ? 'HTTPS' : 'HTTP'),
  exitcode: ({ exitCode }) => `${exitCode}`,
  errormsg: ({ error }) => error,
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** curl's --write-out: `%{variable}`, `%%`, and the escapes n, r and t. Variables that it does not know are empty, as there. */
export function writeOut(format: string, facts: Facts): string {
  return format.replaceAll(/%\{(?<name>[^}]*)\}|%%|\\(?<escape>[nrt])/gs, (whole, name?: string, escape?: string) => {
    if (escape !== undefined) return ESCAPES[escape] ?? whole;
    if (name === undefined) return '%';
    return Object.hasOwn(VARIABLES, name) ? (VARIABLES[name]?.(facts) ?? '') : '';
  });
}

function code(httpCode: number): string {
  return `${httpCode}`.padStart(3, '0');
}

function seconds(value: number): string {
  return value.toFixed(6);
}
