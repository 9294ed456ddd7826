/** Maximum length, enough for a sentence; a JSONPath can match a megabyte. */
const CHARACTERS = 400;

/**
 * Text from other programs, for one log line: the status of an object or a server's response must not start a new line,
 * control the terminal, or reverse the text direction.
 */
export function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  // Truncation does not split a surrogate pair.
  return plain.length <= CHARACTERS ? plain : `${plain.slice(0, CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}...`;
}
