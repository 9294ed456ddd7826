import type { ElasticsearchOptions } from '../../../src/logship/sink/elasticsearch.ts';
import type { ServerParts } from '../../../src/logship/sink/server.ts';
import type { Answer } from '../../../src/logship/sink/sink.ts';

/** What sink-on-core.ts tells the process of kolla-core to open: a Server, or with a target a sink. */
export interface Opened {
  readonly options: Omit<ElasticsearchOptions, 'urls' | 'target'> & {
    readonly urls: readonly string[];
    readonly target?: ElasticsearchOptions['target'];
  };
  readonly parts: Omit<ServerParts, 'log'>;
  /** The file that it makes when it is open, with a SinkError if it could not be opened. */
  readonly openedFile: string;
}

interface Asked {
  readonly is: 'ask';
  readonly method: string;
  readonly path: string;
  /** A file with the body. */
  readonly bodyFile?: string;
  readonly contentType?: string;
  readonly isOnce?: boolean;
}

interface Sent {
  readonly is: 'send';
  /** The documents, each with its action line. */
  readonly documents: readonly string[];
  readonly indexGeneration?: number | undefined;
}

export type SinkCall = { readonly id: number } & (Asked | Sent | { readonly is: 'stop' });

export type SinkSaid =
  | { readonly is: 'log'; readonly level: 'info' | 'warn'; readonly text: string }
  | { readonly id: number; readonly is: 'reply'; readonly status: number; readonly body: string }
  | {
      readonly id: number;
      readonly is: 'answer';
      readonly answer: Answer;
      readonly indexGeneration?: number | undefined;
    }
  | SinkError;

/** Its id is 0 for the opening itself. */
export interface SinkError {
  readonly id: number;
  readonly is: 'error';
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly exitCode?: number;
  readonly isCut?: boolean;
}
