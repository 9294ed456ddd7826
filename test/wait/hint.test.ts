import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointsHint, insideHint } from '../../src/wait/dependency/retry.ts';

const self = { podName: 'nova-0', nodeName: undefined, container: 'init', isInCluster: true };

test('the hint for a path can be pasted, whatever the path is', () => {
  assert.equal(insideHint(self, '/run/a'), 'kubectl exec nova-0 -c init -- ls -la /run/a');
  assert.equal(
    insideHint({ ...self, container: undefined }, "/a b'c"),
    String.raw`kubectl exec nova-0 -- ls -la '/a b'\''c'`,
  );
});

test('the hint for a host shows the Pods that should answer', () => {
  assert.match(endpointsHint('127.0.0.1', self) ?? '', /^kubectl describe pod /);
  assert.match(endpointsHint('10.0.0.3', self) ?? '', /status\.podIP=10\.0\.0\.3$/);
  assert.equal(
    endpointsHint('mariadb.db.svc', self),
    'kubectl get endpointslices -n db -l kubernetes.io/service-name=mariadb',
  );
});

test('without a cluster there is no kubectl hint', () => {
  const outside = { ...self, isInCluster: false };
  assert.equal(insideHint(outside, '/run/a'), undefined);
  assert.equal(endpointsHint('127.0.0.1', outside), undefined);
});
