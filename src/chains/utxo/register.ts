/**
 * Makes a node's watch-only wallet see payments to our addresses. Litecoin Core and Dash Core keep legacy wallets
 * (`importmulti`), Bitcoin Core from 30 on only descriptor wallets (`importdescriptors`, BIP380); the wallet says
 * which it is. Safe to repeat: what the wallet watches already is left alone.
 */
import * as z from 'zod';
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask, askEach } from './node.ts';

const IMPORTS_PER_CALL = 100;

const WALLET_INFO = z.object({ descriptors: z.boolean().optional() });
export const ADDRESS_INFO = z.object({ ismine: z.boolean().optional(), iswatchonly: z.boolean().optional() });
const DESCRIPTOR_INFO = z.object({ descriptor: z.string() });
const IMPORTED = z.array(z.object({ success: z.boolean(), error: z.object({ message: z.string() }).optional() }));

/** @throws ChainUnavailable, also when the wallet refuses an address: what it does not watch must not be shown. */
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

/** A descriptor wallet calls its own what a legacy wallet only watches. */
export const isWatched = (info: z.output<typeof ADDRESS_INFO> | null | undefined): boolean =>
	info?.ismine === true || info?.iswatchonly === true;

/** Nobody has been shown these addresses yet, so no block needs to be read again. */
function importScripts(rpc: JsonRpc, addresses: readonly string[]): Promise<z.output<typeof IMPORTED>> {
	const requests = addresses.map((address) => ({ scriptPubKey: { address }, timestamp: 'now', watchonly: true }));
	return ask(rpc, IMPORTED, 'importmulti', requests, { rescan: false });
}

async function importDescriptors(rpc: JsonRpc, addresses: readonly string[]): Promise<z.output<typeof IMPORTED>> {
	const calls = addresses.map((address) => ({ method: 'getdescriptorinfo', params: [`addr(${address})`] }));
	const checked = await askEach(rpc, DESCRIPTOR_INFO, calls);
	const requests = checked.map((info, at) => {
		if (!info) throw new ChainUnavailable(`the node takes ${addresses[at]} for no address`);
		return { desc: info.descriptor, timestamp: 'now' };
	});
	return ask(rpc, IMPORTED, 'importdescriptors', requests);
}
