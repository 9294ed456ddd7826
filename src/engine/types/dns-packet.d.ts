/** The used part of the package's own types, which import Node's; for build/core/check.ts. */
interface Question {
  readonly type: string;
  readonly name: string;
}

interface Packet {
  readonly type: string;
  readonly id?: number;
  readonly flags: number;
  readonly questions?: readonly Question[];
  readonly additionals?: readonly never[];
}

export interface DecodedPacket extends Packet {
  readonly flag_tc: boolean;
  readonly answers?: readonly (Question & { readonly data: string })[];
}

export const RECURSION_DESIRED: number;
export function encode(packet: Packet): Uint8Array;
export function decode(bytes: Uint8Array): DecodedPacket;
