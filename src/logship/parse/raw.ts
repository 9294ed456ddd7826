import { Place, type Format, type Schema } from './format.ts';
import type { FileOrigin } from './origin.ts';

/** Each line a document, as it is; of its fields only the time is read. */
export function rawSchema(format: Format, { path }: FileOrigin): Schema {
  const tail = `,"log.file.path":${JSON.stringify(path)}}`;
  return {
    format: {
      name: format.name,
      pid: 0,
      place: () => Place.alone,
      resumes: () => false,
      time: (line, clock, nearMs) => format.time(line, clock, nearMs),
      parse: (text) => ({ Payload: text }),
    },
    document: ({ text }, time) => `{"@timestamp":"${time}","message":${JSON.stringify(text)}${tail}`,
  };
}
