/**
 * The cold wallet: a monero-wallet-rpc that runs `--offline` and is the only one with the spending key. It receives the
 * outputs that the view-only wallet found, returns their key images, and signs what the policy allows.
 */
import * as z from 'zod/mini';
import { ChainUnavailable, PaymentImpossible } from '../errors.ts';
import type { ReserveText } from '../reserve-text.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import { natural } from '../rpc/shapes.ts';
import { type MoneroRpc, unavailable } from './node.ts';
import { type Allowed, DESCRIPTION, feeRefusal, refusalOf } from './policy.ts';
import { setFrozen } from './proposal.ts';
import { addressesAt, anotherWallet, createUpTo } from './register.ts';
import { HOT_MINOR } from './subaddress-index.ts';
import { parseTransaction } from './transaction.ts';
import { spentOutputs, unspentOutputs } from './wallet.ts';
import { NOTHING, type Output } from './wallet-shapes.ts';

const OUTPUTS_DATA = z.lazy(() => z.object({ outputs_data_hex: z.string() }));
const KEY_IMAGES = z.lazy(() =>
	z.object({
		offset: natural,
		signed_key_images: z._default(z.array(z.object({ key_image: z.string(), signature: z.string() })), []),
	}),
);
const PROOF = z.lazy(() => z.object({ signature: z.string() }));
const SIGNED = z.lazy(() => z.object({ tx_hash_list: z.array(z.string()), tx_raw_list: z.array(z.string()) }));

export interface ColdSignature {
	/** The transaction itself, hexadecimal. */
	readonly tx: string;
	readonly txId: string;
	readonly keyImages: readonly string[];
	readonly fee: bigint;
}

/** The cold wallet refused a set because the set uses outputs that it has not received. */
export class OutOfStep extends Error {
	override readonly name = 'OutOfStep';
}

/** monero-wallet-rpc's WALLET_RPC_ERROR_CODE_WATCH_ONLY. */
const WATCH_ONLY = -29;

/**
 * Must come before the cold wallet receives outputs: a view-only wallet would take them for its own and be of no use
 * afterwards. A request to describe an empty set tells the two kinds apart.
 * @throws ChainUnavailable where the wallet has other keys, or cannot sign
 */
export async function requireColdWallet(cold: MoneroRpc, hotAddress: string): Promise<void> {
	const [, address] = (await addressesAt(cold, [HOT_MINOR]))?.[0] ?? [];
	if (address !== hotAddress) throw new ChainUnavailable(`cold wallet: ${anotherWallet(HOT_MINOR, address)}`);
	const answer = await cold
		.call(NOTHING, 'describe_transfer', { unsigned_txset: '00' })
		.catch((error: unknown) => error);
	if (answer instanceof RpcError && answer.code === WATCH_ONLY)
		throw new ChainUnavailable('the cold wallet has no spending key');
}

/**
 * Unspent outputs with their key images. Without a key image the view-only wallet does not see that an output is spent.
 * Only new outputs go to the cold wallet and back; where that is not enough because one of the two has forgotten some,
 * all do.
 */
export async function withKeyImages(wallet: MoneroRpc, cold: MoneroRpc): Promise<Output[]> {
	let outputs = await unspentOutputs(wallet);
	for (const all of [false, true]) {
		if (outputs.every(({ key_image }) => key_image !== '')) return outputs;
		try {
			await exchangeKeyImages(wallet, cold, all);
		} catch (error) {
			if (!(error instanceof RpcError) || all) throw unavailable(error);
		}
		outputs = await unspentOutputs(wallet);
	}
	if (outputs.every(({ key_image }) => key_image !== '')) return outputs;
	throw new ChainUnavailable('the cold wallet returned no key image for some outputs');
}

/** The cold wallet takes no output to a subaddress that it did not create, far from the ones before. */
export async function exchangeKeyImages(wallet: MoneroRpc, cold: MoneroRpc, all: boolean): Promise<void> {
	const minors = (await unspentOutputs(wallet)).map(({ subaddr_index }) => subaddr_index.minor);
	await createUpTo(cold, Math.max(HOT_MINOR, ...minors));
	const { outputs_data_hex } = await wallet.call(OUTPUTS_DATA, 'export_outputs', { all });
	await cold.call(NOTHING, 'import_outputs', { outputs_data_hex });
	const { offset, signed_key_images } = await cold.call(KEY_IMAGES, 'export_key_images', { all });
	if (signed_key_images.length === 0) return;
	await wallet.call(NOTHING, 'import_key_images', { offset, signed_key_images });
	await wallet.call(NOTHING, 'store');
}

/**
 * That the account has what is not spent and not frozen, with a text: not whole yet (`prove.ts`). What is hashed begins with the
 * text, and its first letter is no version of a transaction. The cold wallet has no chain, and would prove coins that are spent: what
 * is frozen it takes from the other wallet.
 */
export async function reserveProof(wallet: MoneroRpc, cold: MoneroRpc, message: ReserveText): Promise<string> {
	for (const { key_image, frozen } of await spentOutputs(wallet)) if (!frozen) await setFrozen(wallet, key_image, true);
	await exchangeKeyImages(wallet, cold, true);
	return (await cold.call(PROOF, 'get_reserve_proof', { all: true, message })).signature;
}

/** Signs exactly the allowed payment, or nothing. @throws OutOfStep, PaymentImpossible, ChainUnavailable */
export async function signAllowed(cold: MoneroRpc, unsignedSet: string, allowed: Allowed): Promise<ColdSignature> {
	const unsigned = { unsigned_txset: unsignedSet };
	const description = await inStep(cold.call(DESCRIPTION, 'describe_transfer', unsigned));
	const refusal = refusalOf(description, allowed);
	if (refusal !== null) throw new PaymentImpossible(`the view-only wallet proposed ${refusal}`);
	const signed = await inStep(cold.call(SIGNED, 'sign_transfer', { ...unsigned, export_raw: true }));
	const [raw = '', ...others] = signed.tx_raw_list;
	const parsed = parseTransaction(raw);
	if (!parsed || others.length > 0 || parsed.txId !== signed.tx_hash_list[0] || parsed.keyImages.length === 0)
		throw new ChainUnavailable('the cold wallet signed something that we cannot read');
	if (parsed.fee !== description.desc[0]?.fee || parsed.unlockTime !== 0n)
		throw new ChainUnavailable('the cold wallet signed something other than it described');
	const excess = feeRefusal(parsed.fee, raw.length / 2, allowed);
	if (excess !== null) throw new PaymentImpossible(`the view-only wallet proposed ${excess}`);
	const { txId, keyImages, fee } = parsed;
	return { tx: raw, txId, keyImages, fee };
}

async function inStep<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		throw error instanceof RpcError ? new OutOfStep(`${error.code} ${error.message}`) : error;
	}
}
