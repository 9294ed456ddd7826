/**
 * Names whose values count as secrets. False positives do little harm: a file path is shown as a digest. OpenStack's
 * own words that contain `key` are excluded.
 */
const NAME =
  /pass|pwd|secret|token|cred|cookie|private|salt|psk|sasl|fernet|signature|community|(?:^|[^a-z])(?:pin|pw|rootpw|bindpw)(?:[^a-z]|$)|(?:^|[^a-z])auth(?:[^a-z]|$)|authorization|auth_?(?:data|key)|api_?id|(?<!val)key(?!stone|space|board|word)|masterauth/i;

/**
 * User info between :// and @, with any characters in the password. Go's drivers omit the scheme. The length is
 * bounded, so that long lines with many colons take little time.
 */
const USER_IN_URL = /:\/\/\S{0,1000}@|[^\s:]:[^\s@]{1,300}@/;

/** Keys, hashes and certificates as text: long runs of upper case, lower case and digits. */
const LONG_RUN = /[\w+/=-]{32,}/g;

/** Whether the value of an option with that name is probably a secret: `admin_password`, `memcache_secret_key`. */
export function isCredential(name: string): boolean {
  return NAME.test(name);
}

/** Whether a text contains a secret's name, a URL that may hold a password, or a string that looks like a key. */
export function mentionsCredential(text: string): boolean {
  return NAME.test(text) || USER_IN_URL.test(text) || looksLikeKey(text);
}

/** Whether a text contains a URL or data source name with user info. */
export function holdsLogin(text: string): boolean {
  return USER_IN_URL.test(text);
}

/** Whether a text contains a string that looks like a key, hash or certificate. */
export function looksLikeKey(text: string): boolean {
  return (text.match(LONG_RUN) ?? []).some(looksRandom);
}

function looksRandom(run: string): boolean {
  return [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(run));
}
