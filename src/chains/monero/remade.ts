/**
 * The signer's wallet programs hold nothing that must be kept. One that was started without a wallet, on an empty disk say,
 * opens what it has left of ours, or gets ours made from the seed. What it knew is read again from the chain; which coins are
 * reserved, and what was signed, is in the signer's journal.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import { type MoneroKeys, secretBytes } from './keys.ts';
import { create } from './new-wallets.ts';
import { type MoneroRpc, unavailable } from './node.ts';
import { addressesAt, createUpTo } from './register.ts';
import { NOTHING } from './wallet-shapes.ts';

/** monero-wallet-rpc's code for a program that has no wallet open. */
const NOT_OPEN = -13;
const WHOLE = { key: 'partner-exchange-whole' };
const FILES_KEY = new TextEncoder().encode('partner-exchange wallet file');

export interface Remaking {
	readonly keys: MoneroKeys;
	/** Only the cold wallet can. */
	readonly canSpend: boolean;
	readonly restoreHeight: number;
	/** The minor index of the highest subaddress that was ever given out; only the view-only wallet must see them all. */
	highestMinor(): number;
	/** To the same program, with more patience. */
	readonly patient: MoneroRpc;
}

/**
 * `rpc`, but a call to a program without a wallet makes one and fails: the caller begins again from the start, because a
 * new wallet has no coin frozen. @throws ChainUnavailable
 */
export function remade(rpc: MoneroRpc, remaking: Remaking): MoneroRpc {
	let making: Promise<void> | null = null;
	return {
		...rpc,
		async call(shape, method, params) {
			try {
				return await rpc.call(shape, method, params);
			} catch (error) {
				if (!(error instanceof RpcError && error.code === NOT_OPEN)) throw error;
			}
			making ??= make(remaking).finally(() => {
				making = null;
			});
			await making.catch((error: unknown) => {
				throw unavailable(error);
			});
			throw new ChainUnavailable('the wallet program had no wallet: it has one again, and reads the chain');
		},
	};
}

/** A file that was left behind may be broken: then the new one gets another name. */
async function make({ keys, canSpend, restoreHeight, highestMinor, patient }: Remaking): Promise<void> {
	const filename = `partner-exchange-${canSpend ? 'cold' : 'view'}`;
	const password = hex.encode(keccak_256(concatBytes(FILES_KEY, secretBytes(keys))));
	try {
		await patient.call(NOTHING, 'open_wallet', { filename, password });
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		const wallet = { filename, password, restoreHeight };
		await create(patient, keys, wallet, canSpend).catch((refused: unknown) => {
			if (!(refused instanceof RpcError)) throw refused;
			return create(patient, keys, { ...wallet, filename: `${filename}-${Date.now()}` }, canSpend);
		});
	}
	if (!canSpend) await makeWhole(patient, highestMinor());
}

/**
 * A wallet reads at once, and does not find again what it reads before it knows an address: so it reads once more when it
 * knows them all. One that was stopped in between does not have the mark.
 */
async function makeWhole(wallet: MoneroRpc, highest: number): Promise<void> {
	const isMarked = await wallet.call(NOTHING, 'get_attribute', WHOLE).then(
		() => true,
		() => false,
	);
	if (isMarked && (await addressesAt(wallet, [highest]))) return;
	await createUpTo(wallet, highest);
	await wallet.call(NOTHING, 'rescan_blockchain');
	await wallet.call(NOTHING, 'set_attribute', { ...WHOLE, value: 'yes' });
	await wallet.call(NOTHING, 'store');
}
