/**
 * Divides the memory of --memory.
 *
 *   --memory -> the process itself, and what is kept of files and their generations -> the rest: lines in flight, of each destination alike
 */
import type { Log } from '../core/log.ts';
import { RECOGNIZED, RECOGNIZED_OF_ALL } from './read/recognition.ts';

const MIB = 1024 * 1024;
/** The process, its buffers and the entries of some files. */
const PROCESS_BYTES = 8 * MIB;
/** What is kept of a file, with what its first read takes for a while. */
const FILE_BYTES = 6 * 1024;
/** What is kept of a generation that nothing reads any more. */
const RECOGNIZED_BYTES = 512;
/** The part of the rest that lines in flight may be: with TLS and gzip a request is in memory twice for a while. */
const IN_FLIGHT_SHARE = 0.6;

interface MemoryOptions {
  /** Maximum anonymous memory of the process. */
  readonly bytes: number;
  /** The number of destinations, each with a reader. */
  readonly destinations: number;
  /** What a destination needs to ship at all. */
  readonly least: number;
  /** If undefined, the destinations share what is left of `bytes`. */
  readonly inFlightBytes: number | undefined;
  readonly log: Log;
}

/** The memory of a process that ships logs. */
export class Memory {
  readonly #options: MemoryOptions;
  #isTold = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /**
   * How many bytes one destination may have in flight.
   * @param files number of files that it follows
   */
  inFlight(files: number): number {
    const { bytes, destinations, least, inFlightBytes, log } = this.#options;
    if (inFlightBytes !== undefined) return Math.floor(inFlightBytes / destinations);
    const kept = files * FILE_BYTES + Math.min(files * RECOGNIZED, RECOGNIZED_OF_ALL) * RECOGNIZED_BYTES;
    const left = (bytes - PROCESS_BYTES) / destinations - kept;
    const most = Math.floor(left * IN_FLIGHT_SHARE);
    if (most >= least) return most;
    if (!this.#isTold) {
      this.#isTold = true;
      const needed = Math.ceil((PROCESS_BYTES + destinations * (kept + least / IN_FLIGHT_SHARE)) / MIB);
      const what = `${files} files and the least for their lines need about ${needed} MiB`;
      log.warn(`${what}: --memory is ${Math.floor(bytes / MIB)} MiB`, { files });
    }
    return least;
  }
}

/** The least --memory. @param least see MemoryOptions */
export function leastMemory(destinations: number, least: number): number {
  return PROCESS_BYTES + Math.ceil((destinations * least) / IN_FLIGHT_SHARE);
}
