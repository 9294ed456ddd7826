import { WordsError } from '../question.ts';

/** What is asked of curl, by Kolla's own words first and the user's after them. */
export interface CurlWords {
  readonly url: string;
  /** `/dev/null`, `-` or a file. */
  readonly output: string;
  /** 0: without end, as curl has it. */
  readonly maxTimeMs: number;
  readonly connectTimeoutMs: number;
  readonly userAgent: string;
  readonly writeOut: string;
  /** `NAME: VALUE` as given; `NAME:` takes one away. */
  readonly headers: readonly string[];
  readonly user?: string;
  readonly method?: string;
  readonly isHead: boolean;
  readonly family?: 4 | 6;
  readonly unixSocket?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * Short and long names of what we know, and whether a value follows. What Kolla's script sets anyway, or what changes
 * nothing here, is known too.
 */
const OPTIONS: readonly (readonly [long: string, short: string, takesValue: boolean])[] = [
  ['basic', '', false],
  ['cert', 'E', true],
  ['connect-timeout', '', true],
  ['disable', 'q', false],
  ['fail', 'f', false],
  ['globoff', 'g', false],
  ['head', 'I', false],
  ['header', 'H', true],
  ['http1.1', '', false],
  ['insecure', 'k', false],
  ['ipv4', '4', false],
  ['ipv6', '6', false],
  ['key', '', true],
  ['max-time', 'm', true],
  ['noproxy', '', true],
  ['output', 'o', true],
  ['request', 'X', true],
  ['show-error', 'S', false],
  ['silent', 's', false],
  ['unix-socket', '', true],
  ['url', '', true],
  ['user', 'u', true],
  ['user-agent', 'A', true],
  ['write-out', 'w', true],
];

/**
 * The user's words and Kolla's variables, of which an empty one is as one that is not set.
 * @throws WordsError that names the option
 */
export function parseCurl(argv: readonly string[], env: NodeJS.ProcessEnv): CurlWords {
  const given = new Map<string, string[]>();
  for (const [option, value] of optionsIn(argv)) given.set(option, [...(given.get(option) ?? []), value]);
  const last = (option: string) => given.get(option)?.at(-1);
  const urls = given.get('url') ?? [];
  if (urls.length > 1) throw new WordsError(`one URL is asked, not ${urls.length}`);
  const [url] = urls;
  if (url === undefined || url === '') throw new WordsError('the URL is missing: healthcheck_curl [OPTION...] URL');
  const [user, method, unixSocket, certificate, key] = ['user', 'request', 'unix-socket', 'cert', 'key'].map(last);
  const family = given.has('ipv6') ? 6 : given.has('ipv4') ? 4 : undefined;
  return {
    url,
    // Kolla's comes first, and one that is the user's would be a second URL's.
    output: env['HEALTHCHECK_CURL_OUTPUT'] || '/dev/null',
    maxTimeMs: secondsOf('--max-time', last('max-time') ?? (env['HEALTHCHECK_CURL_MAX_TIME'] || '10')),
    connectTimeoutMs: secondsOf('--connect-timeout', last('connect-timeout') ?? '0'),
    userAgent: last('user-agent') ?? (env['HEALTHCHECK_CURL_USER_AGENT'] || 'curl-healthcheck'),
    writeOut: last('write-out') ?? (env['HEALTHCHECK_CURL_WRITE_OUT'] || WRITE_OUT),
    headers: given.get('header') ?? [],
    isHead: given.has('head'),
    ...(user === undefined ? {} : { user }),
    ...(method === undefined ? {} : { method }),
    ...(family === undefined ? {} : { family }),
    ...(unixSocket === undefined ? {} : { unixSocket }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}

const WRITE_OUT = String.raw`\n%{http_code} %{remote_ip}:%{remote_port} %{time_total} seconds\n`;

/** As curl reads them: a word that is no option's is the URL, `-sSk` are three, `-ufoo` is `-u foo`. */
function* optionsIn(argv: readonly string[]): Generator<[option: string, value: string]> {
  const words = argv.values();
  let noMore = false;
  for (const word of words) {
    if (noMore || word === '-' || !word.startsWith('-')) yield ['url', word];
    else if (word === '--') noMore = true;
    else yield* word.startsWith('--') ? longs(word, words) : shorts(word, words);
  }
}

function* longs(word: string, words: Iterator<string>): Generator<[option: string, value: string]> {
  // Without what may be a password: curl takes no `--user=NAME:PASSWORD`.
  const [shown = word] = word.split('=');
  const [option, value] = named(shown, (each) => each === word.slice(2), '', words);
  yield [option, value];
}

function* shorts(word: string, words: Iterator<string>): Generator<[option: string, value: string]> {
  for (let i = 1; i < word.length; i++) {
    const rest = word.slice(i + 1);
    const [option, value, tookRest] = named(`-${word[i]}`, (_, short) => short === word[i], rest, words);
    yield [option, value];
    if (tookRest) return;
  }
}

function named(
  shown: string,
  isIt: (long: string, short: string) => boolean,
  rest: string,
  words: Iterator<string>,
): [option: string, value: string, tookRest: boolean] {
  const [long, , takesValue] = OPTIONS.find(([each, short]) => isIt(each, short)) ?? [];
  if (long === undefined)
    throw new WordsError(
      `curl's option ${shown} is not known here: put it into an exec of curl itself, or leave it out`,
    );
  if (!takesValue) return [long, '', false];
  if (rest !== '') return [long, rest, true];
  const { value, done } = words.next();
  if (done) throw new WordsError(`curl's option ${shown} needs a value`);
  return [long, value, true];
}

/** Beyond it a timer of Node's ends at once; nobody waits for three weeks. */
const LONGEST_MS = 2 ** 31 - 1_000_000;

/** Seconds with decimals to milliseconds. */
function secondsOf(option: string, text: string): number {
  if (!/^(?:\d{1,9}(?:\.\d*)?|\.\d+)$/.test(text))
    throw new WordsError(`${option}: '${text}' is not a number of seconds`);
  return Math.min(Math.ceil(Number(text) * 1000), LONGEST_MS);
}
