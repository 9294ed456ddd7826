/** Modules implemented outside of this directory in kolla-core; only for build/core/check.ts. */
declare module 'node:path' {
  export const sep: string;
  export const delimiter: string;
  export const basename: (path: string, suffix?: string) => string;
  export const dirname: (path: string) => string;
  export const isAbsolute: (path: string) => boolean;
  export const join: (...paths: string[]) => string;
  export const normalize: (path: string) => string;
  export const relative: (from: string, to: string) => string;
  export const resolve: (...paths: string[]) => string;
}

declare module 'node:tty' {
  export type WriteStream = import('../process.ts').Stream;
}
