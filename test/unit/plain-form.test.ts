/** An address of ours is known as ours however somebody else writes it. */
import { expect, it } from 'vitest';
import { plainForm } from '../../src/chains/addresses.ts';

/** The first two are of EIP-55 and BIP-173. */
it.each([
	['Ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
	['Polygon', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
	['Bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
	['Litecoin', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', 'LTC1QJMXNZ78NMC8NQ77WUXH25N2ES7RZM5C2RKK4WH'],
	['Tron', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
	['Ethereum', 'no address', 'no address'],
] as const)('%s: %s is also %s', (network, own, written) => {
	expect(plainForm(network, written)).toBe(own);
	expect(plainForm(network, own)).toBe(own);
});
