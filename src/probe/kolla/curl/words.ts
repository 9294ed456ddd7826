import { speaksTls } from './tls.ts';
import { isKnownFormat } from './write-out.ts';
import { parseTarget, type Target } from './target.ts';

/** A plain GET, as Kolla's services are asked. */
export interface PlainGet {
  readonly target: Target;
  /** NAME:PASSWORD */
  readonly user: string | undefined;
  /** 0: without end, as curl has it. */
  readonly maxTimeMs: number;
  readonly userAgent: string;
  readonly writeOut: string;
}

/** Kolla's variables, of which an empty one is as one that is not set. */
export interface CurlVariables {
  readonly maxTime: string;
  readonly userAgent: string;
  readonly writeOut: string;
  readonly output: string;
}

const WRITE_OUT = String.raw`\n%{http_code} %{remote_ip}:%{remote_port} %{time_total} seconds\n`;
/** Beyond it a timer of Node's ends at once; no probe waits for three weeks. */
const LONGEST_MS = 2 ** 31 - 1_000_000;

export function variablesIn(env: NodeJS.ProcessEnv): CurlVariables {
  return {
    maxTime: env['HEALTHCHECK_CURL_MAX_TIME'] || '10',
    userAgent: env['HEALTHCHECK_CURL_USER_AGENT'] || 'curl-healthcheck',
    writeOut: env['HEALTHCHECK_CURL_WRITE_OUT'] || WRITE_OUT,
    output: env['HEALTHCHECK_CURL_OUTPUT'] || '/dev/null',
  };
}

/** What these arguments ask, if that is a plain GET: a URL of http or https, and a login at most. Undefined: curl must be asked. */
export function plainGetOf(argv: readonly string[], variables: CurlVariables): PlainGet | undefined {
  const { maxTime, userAgent, writeOut, output } = variables;
  const { url, user, isPlain } = argumentsIn(argv);
  const target = url === undefined ? undefined : parseTarget(url);
  if (target?.isTls === true && !speaksTls) return undefined;
  if (!isPlain || target === undefined || output !== '/dev/null' || !isKnownFormat(writeOut)) return undefined;
  if (!/^(?:\d{1,9}(?:\.\d*)?|\.\d+)$/.test(maxTime)) return undefined;
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
  // Of a user alone curl asks a terminal for the password.
  if (user !== undefined && !user.includes(':')) isPlain = false;
  return { url, user, isPlain };
}
