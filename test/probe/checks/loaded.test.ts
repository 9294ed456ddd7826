import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHelper } from '../../support/helper.ts';
import { listenTcp } from '../../support/server.ts';

/** Exits when a module is resolved that a TCP check does not need. */
const NOTHING_HEAVY = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (/^(node:)?(tls|https?|http2|crypto|child_process)$|mysql2|js-yaml|kube.(index|client)|mysql.index|net.protocols|^#(kube|conversation|secure|supervisor)$/.test(specifier))
      throw new Error('loaded ' + specifier);
    return next(specifier, context);
  },
});`;

test('a check loads only what it uses: tcp nothing, redis its protocol', async () => {
  await using server = await listenTcp(() => {});
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTHING_HEAVY)}` };
  const looked = { env, fromSource: true } as const;
  const tcp = await runHelper('kolla-probe', ['tcp', `127.0.0.1:${server.port}`], looked);
  assert.equal(tcp.code, 0, tcp.stderr);
  const redis = await runHelper('kolla-probe', ['redis', `127.0.0.1:${server.port}`], looked);
  assert.match(redis.stderr, /loaded (?:#conversation|.*net.protocols.redis)/);
});
