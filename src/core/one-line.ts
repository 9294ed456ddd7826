/** Enough for a sentence; a JSONPath can find a megabyte. */
const CHARACTERS = 400;

/**
 * Others' words as a part of one line of ours: what anybody may write into an object's status or a server's answer must not
 * begin a line of the log that we did not say, steer a terminal, or turn what follows around.
 */
export function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  // Not through the middle of a character that takes two.
  return plain.length <= CHARACTERS ? plain : `${plain.slice(0, CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}...`;
}
