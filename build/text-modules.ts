import type { Plugin } from 'esbuild';

const FILES = /\/src\/(?:sidecar\/page|logship\/setup\/saved-objects)\/text\.ts$/;

/** Whether a bundle has the text of this module instead of its code. */
export function isTextModule(path: string): boolean {
  return FILES.test(`/${path}`);
}

/** Modules that build a text from neighbouring files: in a bundle, which lacks those files, they are that text. */
export const textModules: Plugin = {
  name: 'text-modules',
  setup(builder) {
    builder.onLoad({ filter: FILES }, async ({ path }) => {
      const texts = Object.entries((await import(path)) as Record<string, unknown>);
      return { contents: texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`).join('\n') };
    });
  },
};
