import type { Plugin } from 'esbuild';

/** The status page is put together from its sources here; in a bundle it is a text. */
export const pageAsText: Plugin = {
  name: 'page-as-text',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/sidecar\/page\/text\.ts$/ }, async () => {
      const { PAGE } = await import('../src/sidecar/page/text.ts');
      return { contents: `export const PAGE = ${JSON.stringify(PAGE)};` };
    });
  },
};
