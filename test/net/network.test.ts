import assert from 'node:assert/strict';
import { BlockList, isIPv4 } from 'node:net';
import { test } from 'node:test';
import { isInNetwork, parseNetwork } from '../../src/net/network.ts';

for (const [network, inside, outside] of [
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0', '192.0.1.255', '::ffff:192.0.2.1', 'fd00::1']],
  // Bits after the prefix do not count, as in `ip address`.
  ['192.0.2.7/31', ['192.0.2.6', '192.0.2.7'], ['192.0.2.8', '192.0.2.5']],
  ['0.0.0.0/0', ['255.255.255.255'], ['::']],
  ['10.0.0.1/32', ['10.0.0.1'], ['10.0.0.0', '']],
  ['fd00:88::/64', ['fd00:88::', 'fd00:88:0:0:ffff::1'], ['fd00:88:0:1::', '10.0.0.1', 'fe80::1%eth0']],
  ['::/0', ['ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'], ['1.2.3.4']],
  ['64:ff9b::192.0.2.0/120', ['64:ff9b::c000:2ff'], ['64:ff9b::c000:300']],
  ['1:2:3:4:5:6:7::/112', ['1:2:3:4:5:6:7:8'], ['1:2:3:4:5:6:8:8']],
] as const) {
  test(`addresses in ${network}`, () => {
    const parsed = parseNetwork(network);
    for (const address of inside) assert.ok(isInNetwork(address, parsed), address);
    for (const address of outside) assert.ok(!isInNetwork(address, parsed), address);
  });
}

for (const text of [
  '',
  '192.0.2.0',
  '192.0.2/24',
  '192.0.2.0/33',
  'fd00::/129',
  'fd00::1%eth0/64',
  '192.0.2.0/',
  'a/1',
])
  test(`'${text}' is not a network`, () => assert.throws(() => parseNetwork(text), RangeError));

test("random addresses are in the networks that Node's BlockList says", () => {
  const byte = () => Math.floor(Math.random() * 256);
  const address = () =>
    Math.random() < 0.5
      ? Array.from({ length: 4 }, byte).join('.')
      : Array.from({ length: 8 }, () => (Math.random() < 0.4 ? 0 : (byte() << 8) | byte()).toString(16)).join(':');
  for (let round = 0; round < 2000; round++) {
    const [base, prefix] = [address(), Math.floor(Math.random() * 33)];
    const list = new BlockList();
    list.addSubnet(base, prefix, isIPv4(base) ? 'ipv4' : 'ipv6');
    // A neighbour shares leading bits more often than another random address does.
    const asked = Math.random() < 0.5 ? address() : base.replace(/[^.:]+$/, '1');
    const expected = isIPv4(asked) === isIPv4(base) && list.check(asked, isIPv4(asked) ? 'ipv4' : 'ipv6');
    assert.equal(isInNetwork(asked, parseNetwork(`${base}/${prefix}`)), expected, `${asked} in ${base}/${prefix}`);
  }
});
