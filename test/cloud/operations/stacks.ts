import assert from 'node:assert/strict';
import { goneFrom, stateOf, type Client } from '../client.ts';
import type { Operation } from './operation.ts';

const TEMPLATE = '/tmp/stack.yaml';
const PLAIN = `heat_template_version: 2018-08-31
parameters:
  size: { type: number, default: 1 }
resources:
  network: { type: OS::Neutron::Net }
  word: { type: OS::Heat::RandomString, properties: { length: 12 } }
  volume: { type: OS::Cinder::Volume, properties: { size: { get_param: size } } }
outputs:
  word: { value: { get_attr: [word, value] } }
  volume: { value: { get_resource: volume } }
`;
/** A stack that is complete once its handle is signalled by a URL with an EC2 signature, which Keystone checks. */
const WAITING = `heat_template_version: 2018-08-31
resources:
  handle: { type: "AWS::CloudFormation::WaitConditionHandle" }
  condition:
    type: AWS::CloudFormation::WaitCondition
    properties: { Handle: { get_resource: handle }, Timeout: 600, Count: 1 }
outputs:
  url: { value: { get_resource: handle } }
`;

async function outputOf(client: Client, stack: string, name: string): Promise<string> {
  return (await client.openstack('stack', 'output', 'show', stack, name, '-f', 'value', '-c', 'output_value')).trim();
}

/** A stack, deleted at the end. */
async function stackOf(client: Client, name: string, text: string, ...args: readonly string[]) {
  await client.write(TEMPLATE, text);
  const id = await client.id('stack', 'create', name, '--template', TEMPLATE, ...args);
  return {
    id,
    path: `/stacks/${name}/${id}`,
    [Symbol.asyncDispose]: async () => void (await client.openstack('stack', 'delete', '--yes', '--wait', id)),
  };
}

export const stacks: Operation = {
  title: 'stack created, updated and deleted',
  async run({ client }) {
    let volume = '';
    {
      await using stack = await stackOf(client, 'plain', PLAIN, '--wait');
      const word = await outputOf(client, stack.id, 'word');
      assert.match(word, /^\w{12}$/);
      volume = await outputOf(client, stack.id, 'volume');
      await client.openstack('stack', 'update', '--wait', '--existing', '--parameter', 'size=2', stack.id);
      const resized = await client.get<{ volume: { size: number } }>('cinder', `/volumes/${volume}`);
      assert.deepEqual([resized?.volume.size, await outputOf(client, stack.id, 'word')], [2, word]);
    }
    await goneFrom(client, 'cinder', `/volumes/${volume}`);
    return 'its volume extended in place, and deleted with it';
  },
};

interface StackState {
  readonly stack: { readonly stack_status: string; readonly stack_status_reason: string };
}

export const signalledStack: Operation = {
  title: 'stack that waits for a signal, signalled by its URL',
  async run({ client }) {
    await using stack = await stackOf(client, 'waiting', WAITING);
    const stateNow = async () => (await client.get<StackState>('heat', stack.path))?.stack ?? assert.fail('no stack');
    const url = await outputOf(client, stack.id, 'url');
    assert.equal((await stateNow()).stack_status, 'CREATE_IN_PROGRESS');
    const signal = JSON.stringify({ Status: 'SUCCESS', UniqueId: '1', Data: 'x', Reason: 'done' });
    const status = ['--output', '/tmp/reply', '--write-out', '%{http_code}'];
    const sent = ['--request', 'PUT', '--header', 'Content-Type:', '--data-binary', signal];
    assert.equal(await client.exec('curl', '--silent', '--show-error', ...status, ...sent, url), '200');
    await stateOf(client, 'heat', stack.path, 'CREATE_COMPLETE');
    return `${new URL(url).host} answered 200`;
  },
};
