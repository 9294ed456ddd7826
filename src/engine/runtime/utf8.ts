/**
 * Splits bytes into runs of valid UTF-8 and single invalid sequences, with the boundaries of WHATWG's decoder.
 * @returns start, end, and whether the run is valid text
 */
export function* runsOf(bytes: Uint8Array): Generator<readonly [from: number, to: number, isText: boolean]> {
  let right = 0;
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    const lead = bytes[at]!;
    const more = lead < 0x80 ? 0 : lead < 0xc2 || lead > 0xf4 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    // Overlong encodings, surrogates, and values beyond Unicode are detected in the second byte.
    let [low, high] = [LOWEST[lead] ?? 0x80, HIGHEST[lead] ?? 0xbf];
    for (end = at + 1; end - at <= more && bytes[end]! >= low && bytes[end]! <= high; end++) [low, high] = [0x80, 0xbf];
    if (end - at === more + 1) continue;
    if (at > right) yield [right, at, true];
    yield [at, end, false];
    right = end;
  }
  if (bytes.length > right) yield [right, bytes.length, true];
}

const LOWEST: Readonly<Record<number, number>> = { 0xe0: 0xa0, 0xf0: 0x90 };
const HIGHEST: Readonly<Record<number, number>> = { 0xed: 0x9f, 0xf4: 0x8f };
