/**
 * struct statx, which has the same form on every machine, as numbers of 32 bits: where each field is. Read by index: taking an array
 * apart costs the engine more than the look itself.
 */
const WORDS = 64;
const TWO_32 = 2 ** 32;

/** What a call fills, again and again. */
export const room = new Uint32Array(WORDS);

/** Of what `room` holds. */
export const modeThere = (): number => room[7]! & 0xffff;
export const inodeThere = (): number => wide(8);
export const sizeThere = (): number => wide(10);
export const timesThere = {
  access: (): number => milliseconds(16),
  inode: (): number => milliseconds(24),
  content: (): number => milliseconds(28),
};

/** As the C library puts major and minor together. */
export function deviceThere(): number {
  const [major, minor] = [room[34]!, room[35]!];
  const low = (major & 0xfff) * 0x100 + (minor & 0xff);
  return low + (minor - (minor & 0xff)) * 0x1000 + (major - (major & 0xfff)) * TWO_32;
}

function wide(at: number): number {
  return room[at]! + room[at + 1]! * TWO_32;
}

/** Seconds may be before 1970. */
function milliseconds(at: number): number {
  return (room[at]! + (room[at + 1]! | 0) * TWO_32) * 1000 + room[at + 2]! / 1e6;
}
