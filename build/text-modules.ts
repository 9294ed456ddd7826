import type { Plugin } from 'esbuild';

/** Modules that build a text from neighbouring files: in a bundle, which lacks those files, they are that text. */
export const textModules: Plugin = {
  name: 'text-modules',
  setup(builder) {
    builder.onLoad(
      { filter: /\/src\/(?:sidecar\/page|logship\/setup\/saved-objects)\/text\.ts$/ },
      async ({ path }) => {
        const texts = Object.entries((await import(path)) as Record<string, unknown>);
        return { contents: texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`).join('\n') };
      },
    );
  },
};
