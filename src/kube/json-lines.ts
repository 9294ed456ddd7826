import { StringDecoder } from 'node:string_decoder';

/** etcd takes 1.5 MiB an object; a line longer than this is not an event. */
const LINE_MAX_CHARS = 16 * 1024 * 1024;

/**
 * One value a line, however the chunks are cut: within a character, within a line, many lines in one. What came in one
 * chunk comes together, so that who looks at all of them looks once.
 * @param heard is called for every chunk, the proof that the other side is alive
 * @throws Error for a line that is not JSON or never ends
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, heard: () => void): AsyncGenerator<unknown[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    heard();
    const values: unknown[] = [];
    let begin = 0;
    let searchFrom = rest.length;
    rest += decoder.write(chunk);
    for (let end: number; (end = rest.indexOf('\n', searchFrom)) !== -1; searchFrom = begin) {
      const line = rest.slice(begin, end);
      begin = end + 1;
      if (line.trim() !== '') values.push(parse(line));
    }
    rest = rest.slice(begin);
    if (values.length > 0) yield values;
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
