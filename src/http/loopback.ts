import { BlockList, isIPv4 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host, such as `127.0.0.1`, `localhost` or `[::1]`, is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  // `isIPv6` would compile a large regular expression, which takes 6 ms.
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return address.toLowerCase() === 'localhost' || loopback.check(address, family);
}
