/** Data about a finished transfer. */
export interface Facts {
  /** 0 means that there was no response. */
  readonly httpCode: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly totalMs: number;
}

const VARIABLES: Readonly<Record<string, (facts: Facts) => string>> = {
  http_code: ({ httpCode }) => `${httpCode}`.padStart(3, '0'),
  response_code: ({ httpCode }) => `${httpCode}`.padStart(3, '0'),
  remote_ip: ({ remoteAddress }) => remoteAddress,
  remote_port: ({ remotePort }) => `${remotePort}`,
  time_total: ({ totalMs }) => (totalMs / 1000).toFixed(6),
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Whether a format uses only variables known here. `@file` and `%header{}` need curl. */
export function isKnownFormat(format: string): boolean {
  const rest = format
    .replaceAll('%%', '')
    .replaceAll(/%\{([^}]*)\}/g, (whole, name: string) => (Object.hasOwn(VARIABLES, name) ? '' : whole));
  return !format.startsWith('@') && !rest.includes('%');
}

/** Implements curl's --write-out: `%{variable}`, `%%`, and the escapes n, r and t. */
export function writeOut(format: string, facts: Facts): string {
  return format.replaceAll(/%\{(?<name>[^}]*)\}|%%|\\(?<escape>[nrt])/gs, (whole, name?: string, escape?: string) => {
    if (escape !== undefined) return ESCAPES[escape] ?? whole;
    return name === undefined ? '%' : (VARIABLES[name]?.(facts) ?? '');
  });
}
