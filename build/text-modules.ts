import type { Plugin } from 'esbuild';

/** Modules that put a text together from files beside them: in a bundle, where those files are not, they are that text. */
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
