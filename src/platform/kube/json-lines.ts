import { StringDecoder } from 'node:string_decoder';

/** etcd takes 1.5 MiB an object; a line longer than this is not an event. */
const LINE_MAX_CHARS = 16 * 1024 * 1024;

/**
 * One value a line, however the chunks are cut: within a character, within a line, many lines in one.
 * @param heard is called for every chunk, the proof that the other side is alive
 * @throws Error for a line that is not JSON or never ends
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, heard: () => void): AsyncGenerator {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    heard();
    let searchFrom = rest.length;
    rest += decoder.write(chunk);
    for (;;) {
      const end = rest.indexOf('\n', searchFrom);
      if (end === -1) break;
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      searchFrom = 0;
      if (line.trim() !== '') yield parse(line);
    }
    if (rest.length > LINE_MAX_CHARS) throw new Error(`a line of more than ${LINE_MAX_CHARS} characters`);
  }
  // A cut connection leaves half an event; whoever reconnects gets it whole.
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error('an event that is not JSON', { cause });
  }
}
