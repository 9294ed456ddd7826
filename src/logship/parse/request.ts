import type { Fields } from './format.ts';

const REQUEST = /^(?<method>[!-~]+) (?<path>\S+)(?: (?<protocol>HTTP\/\d(?:\.\d)?))?$/;

/** The parts of a request line, or the whole where it is none. */
export function requestFields(request: string): Fields {
  return { ...(REQUEST.exec(request)?.groups ?? { request }) };
}
