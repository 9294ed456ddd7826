/**
 * What is taken for a secret by its name. Rather one word too many: a file path shown as a digest does no harm. Of
 * `key` OpenStack's own words are left out.
 */
const NAME =
  /pass|pwd|secret|token|cred|cookie|private|salt|psk|sasl|fernet|signature|community|(?:^|[^a-z])(?:pin|pw|rootpw|bindpw)(?:[^a-z]|$)|(?:^|[^a-z])auth(?:[^a-z]|$)|authorization|auth_?(?:data|key)|api_?id|(?<!val)key(?!stone|space|board|word)|masterauth/i;

/**
 * Between :// and @: a user, and perhaps a password with any character in it. Go's drivers write it without a scheme.
 * Bounded, so that a long line with many colons takes no time.
 */
const USER_IN_URL = /:\/\/\S{0,1000}@|[^\s:]:[^\s@]{1,300}@/;

/** Keys, hashes and certificates as they are written down: capitals, small letters and digits in one long run. */
const LONG_RUN = /[\w+/=-]{32,}/g;

/** Whether the value under that name is probably a secret: `admin_password`, `memcache_secret_key`. */
export function isCredential(name: string): boolean {
  return NAME.test(name);
}

/** Whether a text has a name of a secret in it, a URL that may hold a password, or what looks like a key itself. */
export function mentionsCredential(text: string): boolean {
  return NAME.test(text) || USER_IN_URL.test(text) || looksLikeKey(text);
}

/** Whether a text has a URL, or a data source's name, with a user in it. */
export function holdsLogin(text: string): boolean {
  return USER_IN_URL.test(text);
}

/** Whether a text has a run of characters in it as keys, hashes and certificates are written down. */
export function looksLikeKey(text: string): boolean {
  return (text.match(LONG_RUN) ?? []).some(looksRandom);
}

function looksRandom(run: string): boolean {
  return [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(run));
}
