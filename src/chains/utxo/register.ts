/**
 * Imports our addresses into a node's watch-only wallet, so that it sees payments to them. Litecoin Core and Dash Core
 * have legacy wallets (`importmulti`). Bitcoin Core from 30 on has only descriptor wallets (`importdescriptors`,
 * BIP380). The wallet says which kind it is. Safe to repeat: addresses that are already watched are skipped.
 */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask, askEach } from './node.ts';

const IMPORTS_PER_CALL = 100;

const WALLET_INFO = z.lazy(() => z.object({ descriptors: z.optional(z.boolean()) }));
export const ADDRESS_INFO = z.lazy(() =>
	z.object({ ismine: z.optional(z.boolean()), iswatchonly: z.optional(z.boolean()) }),
);
const DESCRIPTOR_INFO = z.lazy(() => z.object({ descriptor: z.string() }));
const IMPORTED = z.lazy(() =>
	z.array(z.object({ success: z.boolean(), error: z.optional(z.object({ message: z.string() })) })),
);

/**
 * @throws ChainUnavailable, also when the wallet refuses an address: an address that is not watched must not be given
 * out.
 */
export async function registerAddresses(rpc: JsonRpc, addresses: readonly string[]): Promise<void> {
	const unwatched = await notWatched(rpc, addresses);
	if (unwatched.length === 0) return;
	const { descriptors } = await ask(rpc, WALLET_INFO, 'getwalletinfo');
	for (let start = 0; start < unwatched.length; start += IMPORTS_PER_CALL) {
		const part = unwatched.slice(start, start + IMPORTS_PER_CALL);
		const results = descriptors ? await importDescriptors(rpc, part) : await importScripts(rpc, part);
		for (const [at, address] of part.entries()) {
			const result = results[at];
			if (!result?.success)
				throw new ChainUnavailable(`import of ${address}: ${result?.error?.message ?? 'no answer'}`);
		}
	}
}

async function notWatched(rpc: JsonRpc, addresses: readonly string[]): Promise<string[]> {
	const calls = addresses.map((address) => ({ method: 'getaddressinfo', params: [address] }));
	const known = await askEach(rpc, ADDRESS_INFO, calls);
	return addresses.filter((_, at) => !isWatched(known[at]));
}

/** A descriptor wallet reports as its own (`ismine`) what a legacy wallet reports as watch-only. */
export const isWatched = (info: z.output<typeof ADDRESS_INFO> | null | undefined): boolean =>
	info?.ismine === true || info?.iswatchonly === true;

/** These addresses have not been given out yet, so the node need not read old blocks again. */
function importScripts(rpc: JsonRpc, addresses: readonly string[]): Promise<z.output<typeof IMPORTED>> {
	const requests = addresses.map((address) => ({ scriptPubKey: { address }, timestamp: 'now', watchonly: true }));
	return ask(rpc, IMPORTED, 'importmulti', requests, { rescan: false });
}

async function importDescriptors(rpc: JsonRpc, addresses: readonly string[]): Promise<z.output<typeof IMPORTED>> {
	const calls = addresses.map((address) => ({ method: 'getdescriptorinfo', params: [`addr(${address})`] }));
	const checked = await askEach(rpc, DESCRIPTOR_INFO, calls);
	const requests = checked.map((info, at) => {
		if (!info) throw new ChainUnavailable(`the node does not accept ${addresses[at]} as an address`);
		return { desc: info.descriptor, timestamp: 'now' };
	});
	return ask(rpc, IMPORTED, 'importdescriptors', requests);
}
