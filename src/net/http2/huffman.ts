import { Http2Error } from './error.ts';

/**
 * The lengths of the codes of all bytes and of the end, from a for 5 bits to z for 30. Of one length, codes ascend with
 * their bytes, and a longer code with all shorter ones, so that the lengths say it all (RFC 7541, appendix B).
 */
const LENGTHS =
  'isxxxxxxxtzxxzxxxxxxxxzxxxxxxxxxbffhibdgffdgdbbbaaabbbbbbbcdkbhfibccccccccccccccccccccccdcdioijbkabababbbaccbbbabcbaab' +
  'ccccckgjixprpprrrsrssssststtrstssssqrsrsstrqprrssqsrrtqrssqqrqsrssprrrsrrsvvporsruvvvwwvtuoqvwwvwtqqvvxwwwptpqrqqsrruu' +
  'ttvsvwvvwwwwwxwwwwwvz';
const SHORTEST = 5;
const END = 256;
/** Padding is the beginning of the end's code, of which this many bits would be a byte. */
const PADDING_BITS = 8;

interface Code {
  /** Bytes in the order of their codes. */
  readonly bytes: readonly number[];
  /** The number of codes by length in bits. */
  readonly counts: readonly number[];
}

let built: Code | undefined;

function codeOf(): Code {
  const lengths = Array.from(LENGTHS, (letter) => letter.charCodeAt(0) - 97 + SHORTEST);
  const bytes = [...lengths.keys()].toSorted((a, b) => lengths[a]! - lengths[b]! || a - b);
  const counts = Array.from({ length: Math.max(...lengths) + 1 }, () => 0);
  for (const length of lengths) counts[length]!++;
  return { bytes, counts };
}

/**
 * Decodes a string, one byte per character.
 * @throws Http2Error
 */
export function decodeHuffman(coded: Uint8Array): string {
  const { bytes, counts } = (built ??= codeOf());
  const out: number[] = [];
  // Of the code so far: its bits and their number; the first code of that length, and the place of its byte.
  let [code, length, first, index] = [0, 0, 0, 0];
  for (const byte of coded)
    for (let bit = 7; bit >= 0; bit--) {
      code |= (byte >> bit) & 1;
      length++;
      const count = counts[length]!;
      const place = code - first;
      if (place < count) {
        const found = bytes[index + place]!;
        if (found === END) throw new Http2Error('a header with the code of the end');
        out.push(found);
        [code, length, first, index] = [0, 0, 0, 0];
        continue;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  // All bits so far are 1, and the last shift has added a 0.
  if (length >= PADDING_BITS || code >> 1 !== 2 ** length - 1) throw new Http2Error('a header with wrong padding');
  return latin1(out);
}

/** Converted in parts, because the number of a function's arguments is limited. */
function latin1(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.slice(at, at + 4096));
  return text;
}
