/** The networks of the UTXO family. Pure data. */
import type { NetworkRow } from './row.ts';

const SATOSHI_PER_VB = 1_000n;

export const UTXO_NETWORKS = {
	Bitcoin: {
		name: 'Bitcoin',
		family: 'utxo',
		blockSeconds: 600,
		pollSeconds: 10,
		confirmations: [
			{ aboveUsd: 5_000, blocks: 3 },
			{ aboveUsd: 0, blocks: 2 },
		],
		explorer: 'https://mempool.space/tx/{}',
		params: {
			hrp: 'bc',
			p2pkh: 0x00,
			p2sh: [0x05],
			coinType: 0,
			ownScript: 'p2wpkh',
			genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
			work: 'sha256d',
			dust: 546n,
			minFeeRate: 1n * SATOSHI_PER_VB,
			maxFeeRate: 300n * SATOSHI_PER_VB,
			maxFee: 1_000_000n,
			replaceable: true,
			regtest: { hrp: 'bcrt', p2pkh: 0x6f, p2sh: [0xc4] },
		},
	},
	Litecoin: {
		name: 'Litecoin',
		family: 'utxo',
		blockSeconds: 150,
		pollSeconds: 5,
		confirmations: [{ aboveUsd: 0, blocks: 6 }],
		explorer: 'https://litecoinspace.org/tx/{}',
		params: {
			hrp: 'ltc',
			p2pkh: 0x30,
			// Not 0x05, the older '3…' form: it is Bitcoin's too, and a payer who pastes one loses the coins.
			p2sh: [0x32],
			coinType: 2,
			ownScript: 'p2wpkh',
			genesis: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
			work: 'scrypt',
			// Ten times Bitcoin's: Litecoin Core 0.21 refuses 5 459 to a key hash, and takes 5 460.
			dust: 5_460n,
			minFeeRate: 2n * SATOSHI_PER_VB,
			maxFeeRate: 500n * SATOSHI_PER_VB,
			maxFee: 10_000_000n,
			replaceable: true,
			regtest: { hrp: 'rltc', p2pkh: 0x6f, p2sh: [0x3a, 0xc4] },
		},
	},
	Dash: {
		name: 'Dash',
		family: 'utxo',
		blockSeconds: 150,
		pollSeconds: 5,
		confirmations: [
			{ aboveUsd: 0, blocks: 2, tag: 'chainlock' },
			{ aboveUsd: 0, blocks: 6 },
		],
		explorer: 'https://blockchair.com/dash/transaction/{}',
		params: {
			hrp: null,
			p2pkh: 0x4c,
			p2sh: [0x10],
			coinType: 5,
			ownScript: 'p2pkh',
			genesis: '00000ffd590b1485b3caadc19b22e6379c733355108f107a430458cdf3407ab6',
			work: 'x11',
			// Dash Core relays from 546; older nodes only from 5 460.
			dust: 5_460n,
			minFeeRate: 2n * SATOSHI_PER_VB,
			maxFeeRate: 500n * SATOSHI_PER_VB,
			maxFee: 10_000_000n,
			replaceable: false,
			regtest: { hrp: null, p2pkh: 0x8c, p2sh: [0x13] },
		},
	},
} as const satisfies Record<string, NetworkRow>;
