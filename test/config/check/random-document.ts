import { oneOf } from '../../support/random.ts';

const NAMES = [
  'password',
  'admin_password',
  'db_passwd',
  'secret_key',
  'auth_token',
  'memcache_secret_key',
  'rabbit_cookie',
  'private_key',
  'api-key',
  'root_pwd',
  'shared_secret',
  'credential',
];
const PLAIN = ['debug', 'my_ip', 'workers', 'log_dir', 'region_name', 'host', 'enabled', 'timeout'];
const WORDS = ['true', '10.0.0.3', '/var/log/kolla', 'RegionOne', '5', '', 'a b', '%(x)s', '"quoted"'];

/** A typical file of a service with secrets (PLANTED and others) in options and URLs. */
export function randomDocument(random: () => number): { kind: string; text: string } {
  const kind = oneOf(random, ['ini', 'ini', 'yaml', 'json'] as const);
  const secret = () =>
    `PLANTED${oneOf(random, ['', '@', '/x', '#1', ':y', ' z', '=', '"q"', "'r'", '\\', '%41', ']', 'é'])}`;
  const count = Math.floor(random() * 8);
  if (kind === 'ini') return { kind, text: ini(random, count, secret) };
  const pairs = Array.from({ length: count }, () => pair(random, secret));
  if (kind === 'json') return { kind, text: JSON.stringify(nested(random, pairs), undefined, random() < 0.5 ? 2 : 0) };
  return { kind, text: yaml(random, pairs) };
}

function ini(random: () => number, count: number, secret: () => string): string {
  const lines = random() < 0.9 ? [`[${oneOf(random, ['DEFAULT', 'database', 'keystone_authtoken', 'vnc'])}]`] : [];
  for (let n = count; n > 0; n--) {
    const [name, value] = pair(random, secret);
    const divider = oneOf(random, ['=', ' = ', ': ', ' =\t']);
    const style = Math.floor(random() * 6);
    if (style === 0) lines.push(`# ${name}${divider}${value}`);
    else if (style === 1) lines.push(`${name}${divider}`, `  ${value}`, `\t${value}`);
    else if (style === 2) lines.push('', `[${oneOf(random, ['oslo.messaging', 'neutron', 'b c'])}]`);
    else lines.push(`${name}${divider}${value}`);
  }
  return lines.map((line) => `${line}${random() < 0.05 ? '\r\n' : '\n'}`).join('');
}

/** A name and a value. The value is secret if its name is, or if it is a URL with a user. */
function pair(random: () => number, secret: () => string): [string, string] {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return [oneOf(random, NAMES), secret()];
  if (kind === 1 && random() < 0.3) return ['dsn', `nova:${encodeURIComponent(secret())}@tcp(db:3306)/nova`];
  if (kind === 1) {
    const scheme = oneOf(random, ['mysql+pymysql', 'rabbit', 'http', 'redis']);
    return [
      oneOf(random, ['connection', 'transport_url', 'url']),
      `${scheme}://${oneOf(random, ['nova', ''])}:${encodeURI(secret())}@db:3306/nova`,
    ];
  }
  return [oneOf(random, PLAIN), oneOf(random, WORDS)];
}

function nested(random: () => number, pairs: readonly (readonly [string, string])[]): unknown {
  const half = Math.floor(random() * (pairs.length + 1));
  return { ...Object.fromEntries(pairs.slice(0, half)), inner: [Object.fromEntries(pairs.slice(half))] };
}

function yaml(random: () => number, pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .map(([name, value]) => {
      const style = Math.floor(random() * 4);
      if (style === 0) return `${name}: |\n  ${value}\n  ${value}\n`;
      if (style === 1) return `- {${name}: ${JSON.stringify(value)}}\n`;
      return style === 2 ? `  ${name}: ${JSON.stringify(value)}\n` : `${name}: ${value}\n`;
    })
    .join('');
}
