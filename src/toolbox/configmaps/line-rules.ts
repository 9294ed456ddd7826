import { holdsLogin, isCredential, looksLikeKey } from '../../core/credential.ts';

/** A line in a text, with its neighbours. */
interface Line {
  readonly text: string;
  /** The next line that is not only a comment; empty after the last line. */
  readonly next: string;
  /** The INI section; empty outside of sections. */
  readonly section: string;
}

interface LineRule {
  /** The name of the rule, as `--explain` and the page show it. */
  readonly what: string;
  readonly finds: (line: Line) => boolean;
}

/**
 * The rules by which a line counts as a credential. They are data: a rule for another kind of secret is one more row.
 */
export const LINE_RULES: readonly LineRule[] = [
  { what: 'a private key', finds: ({ text }) => /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(text) },
  {
    what: 'a URL with user info',
    finds: ({ text }) => text.includes('@') && (holdsLogin(text) || SPACED_LOGIN.test(text)),
  },
  { what: 'a password hash', finds: ({ text }) => HASH.test(text) },
  { what: 'a value under the name of a password, key or token', finds: hasNamedValue },
  { what: 'an item named like a password, key or token', finds: isNamed },
  { what: 'a value in a section of passwords, keys or tokens', finds: isInSecretSection },
  {
    what: 'a long run of upper-case and lower-case letters and digits, like a key',
    finds: ({ text }) => looksLikeKey(text),
  },
];

/** A login in a URL for SQLAlchemy, whose password may contain spaces. */
const SPACED_LOGIN = /:\/\/[^\s:@/]*:[^@"']{1,300}@/;
/** Hashes in the formats of crypt(3), LDAP and Apache's htpasswd. */
const HASH = /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2\w*|pbkdf2\S*|scrypt)\$\S|\{(?:S?SHA\d{0,3}|S?MD5|CRYPT)\}\S/i;
/** OpenStack's own sections, whose secrets have recognizable names. */
const OPEN_SECTIONS = new Set(
  'auth credential fernet_receipts fernet_tokens jwt_tokens keystone_authtoken oauth1 oauth2 token tokenless_auth'.split(
    ' ',
  ),
);
/** Characters that may precede a name at the start of its line. */
const LINE_START = /^\s*(?:- +)*(?:export\s+)?["']?$/;
/** Names whose value is most likely the secret itself, and not its lifetime or path. */
const ITSELF = /(?:pass(?:word|wd|phrase)?|pwd|pin|secret|token|psk|salt|cookie|community|auth)$/i;
/** Names whose value may be a path, but not a number. */
const KEY = /key$/i;
const COMMENT = /^\s*(?:[#;]|\/\/)/;
const REFERENCE = /^\$(?:\{\w+\}|\(\w+\))$/;
const SWITCH = /^(?:true|false|yes|no|on|off|none|null|nil|~)$/i;
const NUMBER = /^\d{1,9}(?:[.:]\d{1,9})*[smhdwkMG]?$/;
const PATH = /^(?:\.{0,2}\/[\w.@%+{}$*-]+){2,}\/?$/;

/** The lines of a text. Public data, such as certificates and public keys, is removed. */
export function linesOf(text: string): Line[] {
  const open = text
    .replaceAll(
      /-----BEGIN ((?:X509 |TRUSTED )?(?:CERTIFICATE(?: REQUEST)?|CRL)|(?:RSA |EC )?PUBLIC KEY|DH PARAMETERS|EC PARAMETERS)-----[\w+/=\s]*-----END \1-----/g,
      (block) => block.replaceAll(/[^\n]/g, ''),
    )
    .replaceAll(/\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-[\w-]+) [\w+/=]+/g, '');
  let section = '';
  const inSections = open.split(/\r\n|\r|\n/).map((line) => {
    section = /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1] ?? section;
    return { text: line, section };
  });
  let next = '';
  return inSections
    .toReversed()
    .map((line) => {
      const whole = { ...line, next };
      // An indented comment may continue a value, as in oslo.config.
      if (!/^(?:[#;].*|\s*)$/.test(line.text)) next = line.text;
      return whole;
    })
    .toReversed();
}

/** Whether the value of an option with a secret's name, on this line or below it, may be the secret. */
function hasNamedValue({ text, next }: Line): boolean {
  const isComment = COMMENT.test(text);
  for (const { 0: name, index } of text.matchAll(/[A-Za-z_][\w.-]*/g)) {
    if (!isCredential(name)) continue;
    const value = valueAt(text, index, name, isComment);
    if (value === undefined) continue;
    // A value that is indented, is a list item, or is in JSON without indentation.
    if (value === '' ? /^(?:\s+\S|-\s|["'])/.test(next) && !isComment : !isHarmless(value, name)) return true;
  }
  return false;
}

/**
 * The value after a name and `=`, `:`, `=>`, `>` or, except in the prose of a comment, spaces. Undefined if it is
 * missing or consists of empty quotes.
 */
function valueAt(text: string, index: number, name: string, isComment: boolean): string | undefined {
  const start = index + name.length;
  const divided = /["']?\s*(?:=>|:=|[=:>])\s*/y;
  divided.lastIndex = start;
  const blank = /["']?[ \t]+(?=\S)/y;
  blank.lastIndex = start;
  const divider = divided.exec(text) ?? (isComment ? null : blank.exec(text));
  if (divider === null) return undefined;
  const rest = text.slice(start + divider[0].length, start + divider[0].length + 300);
  // An option of INI or a key of YAML takes the whole line: a password may contain any character.
  if (LINE_START.test(text.slice(0, index))) return wholeValue(rest);
  const [quotes = ''] = /^["']*/.exec(rest) ?? [];
  const value = rest.slice(quotes.length);
  // In Python, three quotes start a text of several lines, while two are an empty value.
  const end = value.search(quotes.length % 2 === 1 ? /["']/ : /[\s>"']|[,;](?=[\s"'}\]]|$)|<(?=\/|$)/);
  return (end === -1 ? value : value.slice(0, end)).trim();
}

/** The rest of a line without its quotes, a trailing separator, or a comment. Undefined if the quotes are empty. */
function wholeValue(rest: string): string | undefined {
  const quoted = /^(["'])(.*?)\1(?:[,;)}\]\s]*|\s+#\s.*)$/.exec(rest);
  if (quoted !== null) return quoted[2] === '' ? undefined : quoted[2];
  return rest.replace(/(?<=\S)\s+#\s.*$/, '').replace(/(?<=.)[,;]?\s*$/, '');
}

/** Whether a line names a secret in a list: `name: OS_PASSWORD`, with the value in the same line or below. */
function isNamed({ text }: Line): boolean {
  if (COMMENT.test(text)) return false;
  const names = text.matchAll(/(?<![\w.-])name["']?\s*[:=]\s*["']?([A-Za-z_][\w.-]*)["']?(?=\s*(?:[,}]|$))/g);
  return [...names].some(([, name = '']) => ITSELF.test(name) || KEY.test(name));
}

function isHarmless(value: string, name: string): boolean {
  if (value === '' || SWITCH.test(value) || REFERENCE.test(value)) return true;
  if (ITSELF.test(name)) return false;
  return PATH.test(value) || (NUMBER.test(value) && !KEY.test(name));
}

function isInSecretSection({ text, section }: Line): boolean {
  if (section === '' || OPEN_SECTIONS.has(section) || !isCredential(section)) return false;
  if (/^\s*(?:[#;].*|\[.*\]\s*)?$/.test(text)) return false;
  // A line without a separator continues the value above it.
  return !isHarmless(text.replace(/^[^=:]*[=:]/, '').trim(), '');
}
