import { isKnownFormat } from './write-out.ts';
import { parseTarget, type Target } from './target.ts';

/** A plain GET, which is all that Kolla's services use. */
export interface PlainGet {
  readonly target: Target;
  /** The login as NAME:PASSWORD. */
  readonly user: string | undefined;
  /** 0 means unlimited, as in curl. */
  readonly maxTimeMs: number;
  readonly userAgent: string;
  readonly writeOut: string;
}

/** Kolla's variables. An empty variable counts as unset. */
export interface CurlVariables {
  readonly maxTime: string;
  readonly userAgent: string;
  readonly writeOut: string;
  readonly output: string;
}

const WRITE_OUT = String.raw`\n%{http_code} %{remote_ip}:%{remote_port} %{time_total} seconds\n`;
/** Maximum of --max-time: a longer Node timer would expire immediately, and no probe waits for three weeks. */
const LONGEST_MS = 2 ** 31 - 1_000_000;

export function variablesIn(env: NodeJS.ProcessEnv): CurlVariables {
  return {
    maxTime: env['HEALTHCHECK_CURL_MAX_TIME'] || '10',
    userAgent: env['HEALTHCHECK_CURL_USER_AGENT'] || 'curl-healthcheck',
    writeOut: env['HEALTHCHECK_CURL_WRITE_OUT'] || WRITE_OUT,
    output: env['HEALTHCHECK_CURL_OUTPUT'] || '/dev/null',
  };
}

/**
 * The request of these arguments if it is a plain GET: an http or https URL with a login at most. Undefined if curl is
 * needed.
 */
export function plainGetOf(argv: readonly string[], variables: CurlVariables): PlainGet | undefined {
  const { maxTime, userAgent, writeOut, output } = variables;
  const { url, user, isPlain } = argumentsIn(argv);
  const target = url === undefined ? undefined : parseTarget(url);
  if (!isPlain || target === undefined || output !== '/dev/null' || !isKnownFormat(writeOut)) return undefined;
  if (!/^(?:\d{1,9}(?:\.\d*)?|\.\d+)$/.test(maxTime)) return undefined;
  // curl sends these unchanged.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(userAgent)) return undefined;
  const maxTimeMs = Math.min(Math.ceil(Number(maxTime) * 1000), LONGEST_MS);
  return { target, user: user ?? target.user, maxTimeMs, userAgent, writeOut };
}

function argumentsIn(argv: readonly string[]) {
  const words = argv.values();
  let [url, user]: (string | undefined)[] = [];
  let isPlain = true;
  for (const word of words) {
    if (word === '-u' || word === '--user') user = words.next().value ?? '';
    else if (/^-u./s.test(word)) user = word.slice(2);
    else if (word.startsWith('-') || url !== undefined) isPlain = false;
    else url = word;
  }
  // For a user without a password, curl prompts on the terminal.
  if (user !== undefined && !user.includes(':')) isPlain = false;
  return { url, user, isPlain };
}
