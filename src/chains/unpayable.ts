/**
 * Well-formed addresses that no payout or refund may go to, because coins sent there are lost: the contracts of the
 * tokens that we list, and addresses whose key nobody has. Malformed addresses are refused before this check. Pure.
 */
import { allAssets } from '../catalog/assets.ts';

/** EVM: below 2^14 are the zero address, the precompiles and the networks' own system contracts. */
const LOW_EVM_ADDRESS = /^0x0{36}[0-3]/;

/** In the form that `comparable` returns. */
const BURNED: readonly string[] = [
	'0x000000000000000000000000000000000000dead',
	'0xdead000000000000000042069420694206942069',
	'0xdead000000000000000000000000000000000000',
	// How wallets and exchanges write "the native coin" where a contract is asked for.
	'0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
	'0xffffffffffffffffffffffffffffffffffffffff',
	// Twenty zero bytes, or the bytes of 0x…dEaD, as each network writes them.
	'1111111111111111111114oLvT2',
	'31h1vYVSYuKP6AhS86fbRdMw9XHieotbST',
	'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs',
	'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqthqst8',
	'LKDxGDJq5fF4FohAB8zJH24mDDNHDNtqsE',
	'M7uAERuQW2AotfyLDyewFGcLUDtAYu9v5V',
	'ltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqp9ysmq',
	'ltc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqgnwq3z',
	'XagqqFetxiDb9wbartKDrXgnqLah6SqX2S',
	'7SQekjmcMtR25wEPPiL6m1Mb5586R5ut33',
	'T9yD14Nj9j7xAB4dbGeiX9h8upfCg3PBbY',
	// Bitcoin's eater, Counterparty's proof of burn, and the account that Tron itself calls Blackhole.
	'1BitcoinEaterAddressDontSendf59kuE',
	'1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
	'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
	// Solana's own programs and accounts whose bytes happen to be a point of the curve.
	'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
	'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
	'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
	'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
	'So11111111111111111111111111111111111111112',
	'Stake11111111111111111111111111111111111111',
	'Config1111111111111111111111111111111111111',
	'SysvarRent111111111111111111111111111111111',
	'SysvarC1ock11111111111111111111111111111111',
];

/** Hexadecimal and bech32 mean the same in either case; base58 does not. */
const IN_EITHER_CASE = /^(0x|bc1|ltc1|bcrt1|rltc1)/i;

/** The same text for all spellings of one address. */
export const comparable = (text: string): string => (IN_EITHER_CASE.test(text) ? text.toLowerCase() : text);

const UNPAYABLE: ReadonlySet<string> = new Set([
	...BURNED,
	// Contracts of all networks: we know no owner of such an address on another EVM network.
	...allAssets().flatMap(({ contract }) => (contract === undefined ? [] : [comparable(contract)])),
]);

export function isUnpayable(address: string): boolean {
	const text = comparable(address);
	return LOW_EVM_ADDRESS.test(text) || UNPAYABLE.has(text);
}
