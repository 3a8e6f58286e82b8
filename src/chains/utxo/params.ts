/**
 * What Bitcoin, Litecoin and Dash differ in, as data. Sources: each project's chainparams and dust rules, SLIP-0044
 * (coin types), BIP44 and BIP84 (which script our own addresses use). Pure.
 */
import type { Network } from '../../catalog/networks.ts';

export type UtxoChainName = 'main' | 'regtest';

export interface UtxoParams {
	/** Human-readable part of segwit addresses (BIP173); null where the network has none. */
	readonly hrp: string | null;
	/** Version byte of base58check addresses that pay to a key. */
	readonly p2pkh: number;
	/** Version bytes of base58check addresses that pay to a script: all that are accepted. */
	readonly p2sh: readonly number[];
	/** SLIP-0044; 1 on every test chain. */
	readonly coinType: number;
	/** Script of our own addresses: p2wpkh on BIP84 paths, p2pkh on BIP44 paths. */
	readonly ownScript: 'p2wpkh' | 'p2pkh';
	/** Smallest output that nodes relay, base units: the strictest script kind's limit, for all kinds. */
	readonly dust: bigint;
	/** Fee rates that are paid at least and at most, base units per 1000 vB. */
	readonly minFeeRate: bigint;
	readonly maxFeeRate: bigint;
	/** No transaction pays more than this, base units; still above the floor for the largest one that we build. */
	readonly maxFee: bigint;
	/** Do nodes let a higher fee replace a transaction that signals it (BIP125)? Dash's never do. */
	readonly replaceable: boolean;
}

const SATOSHI_PER_VB = 1_000n;

const BITCOIN = {
	hrp: 'bc',
	p2pkh: 0x00,
	p2sh: [0x05],
	coinType: 0,
	ownScript: 'p2wpkh',
	dust: 546n,
	minFeeRate: 1n * SATOSHI_PER_VB,
	maxFeeRate: 300n * SATOSHI_PER_VB,
	maxFee: 1_000_000n,
	replaceable: true,
} as const satisfies UtxoParams;

const LITECOIN = {
	hrp: 'ltc',
	p2pkh: 0x30,
	// 0x05 is the older '3…' form of the same script; Litecoin Core still pays to it (networks.md).
	p2sh: [0x32, 0x05],
	coinType: 2,
	ownScript: 'p2wpkh',
	// Ten times Bitcoin's: Litecoin Core 0.21 refuses 5 459 to a key hash, and takes 5 460.
	dust: 5_460n,
	minFeeRate: 2n * SATOSHI_PER_VB,
	maxFeeRate: 500n * SATOSHI_PER_VB,
	maxFee: 10_000_000n,
	replaceable: true,
} as const satisfies UtxoParams;

const DASH = {
	hrp: null,
	p2pkh: 0x4c,
	p2sh: [0x10],
	coinType: 5,
	ownScript: 'p2pkh',
	// Dash Core relays from 546; older nodes only from 5 460.
	dust: 5_460n,
	minFeeRate: 2n * SATOSHI_PER_VB,
	maxFeeRate: 500n * SATOSHI_PER_VB,
	maxFee: 10_000_000n,
	replaceable: false,
} as const satisfies UtxoParams;

const PARAMS: Readonly<Record<string, Readonly<Record<UtxoChainName, UtxoParams>>>> = {
	Bitcoin: { main: BITCOIN, regtest: { ...BITCOIN, hrp: 'bcrt', p2pkh: 0x6f, p2sh: [0xc4], coinType: 1 } },
	Litecoin: { main: LITECOIN, regtest: { ...LITECOIN, hrp: 'rltc', p2pkh: 0x6f, p2sh: [0x3a, 0xc4], coinType: 1 } },
	Dash: { main: DASH, regtest: { ...DASH, p2pkh: 0x8c, p2sh: [0x13], coinType: 1 } },
};

/** @throws TypeError for a network of another family: configuration, not weather. */
export function utxoParams(network: Network, chain: UtxoChainName): UtxoParams {
	const params = PARAMS[network.name]?.[chain];
	if (!params) throw new TypeError(`${network.name} has no UTXO parameters`);
	return params;
}
