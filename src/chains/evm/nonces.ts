/**
 * Account nonces. Each is one above the last signed nonce, so none is ever used twice. A node's count is only compared
 * with it. Only this signer uses these keys: if a node counts more transactions than were signed, the node is wrong or
 * somebody else has the key. A nonce that is too high would stop its wallet for good.
 */
import { SigningBlocked } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SigningState } from '../signing-port.ts';
import { askEach, type EvmRpc } from './node.ts';
import { HEIGHT } from './shapes.ts';

/** More transactions than any wallet of this service can have made before its signer kept a journal. */
const MAX_FIRST_NONCE = 1_000_000;

/** `nodes`: each configured node by itself, the preferred first; `rpc`: the first of them that answers. */
export interface Counters {
	readonly rpc: EvmRpc;
	readonly nodes: readonly JsonRpc[];
}

/**
 * `payIn`: the pay-in address that signs, or null where it is the hot wallet. @throws ChainUnavailable, SigningBlocked
 */
export async function nextNonce(
	counters: Counters,
	address: string,
	payIn: string | null,
	state: SigningState,
): Promise<number> {
	return (await countedNonce(counters, address, payIn, state)).nonce;
}

/** The next nonce, and how many transactions of the address the chain holds. Throws as `nextNonce`. */
export async function countedNonce(
	{ rpc, nodes }: Counters,
	address: string,
	payIn: string | null,
	state: SigningState,
): Promise<{ readonly nonce: number; readonly counted: number }> {
	const signed = highestSigned(state, payIn);
	if (signed !== null) {
		const [counted = 0] = await countsOf(rpc, address, ['latest']);
		return { nonce: nonceAfter(address, signed, counted), counted };
	}
	// The journal has no nonce of this wallet. Then all counts of all nodes must agree.
	const counts = await Promise.all(nodes.map((node) => countsOf(node, address, ['latest', 'pending'])));
	const counted = firstNonce(address, counts.flat());
	return { nonce: counted, counted };
}

/** The highest nonce that is signed; null where there is none. */
export function highestSigned({ spent }: SigningState, payIn: string | null): number | null {
	let highest: number | null = null;
	for (const each of spent) {
		const isOwn = each.kind === 'nonce' && each.account?.toLowerCase() === payIn?.toLowerCase();
		if (isOwn) highest = Math.max(highest ?? 0, each.nonce);
	}
	return highest;
}

/** `counted`: transactions of the address that the chain holds, as a node says. @throws SigningBlocked */
export function nonceAfter(address: string, signed: number, counted: number): number {
	if (counted <= signed + 1) return signed + 1;
	throw new SigningBlocked(
		`the node counts ${counted} transactions of ${address}, and only ${signed + 1} were signed here: ` +
			'the node is wrong, or somebody else uses this key; nothing is signed until they agree',
	);
}

/** `counts`: what each node counts. @throws SigningBlocked unless all are equal and plausible */
export function firstNonce(address: string, counts: readonly number[]): number {
	const [first = Number.POSITIVE_INFINITY] = counts;
	if (counts.some((count) => count !== first))
		throw new SigningBlocked(
			`the nodes do not agree how many transactions ${address} has made (${counts.join(', ')}): ` +
				'its first is signed when they do',
		);
	if (first > MAX_FIRST_NONCE)
		throw new SigningBlocked(`the node counts ${first} transactions of ${address}, more than it can have made`);
	return first;
}

/** How many transactions of the address each of these blocks knows: a tag, or a height in hex. @throws ChainUnavailable */
export function countsOf(rpc: JsonRpc, address: string, tags: readonly string[]): Promise<number[]> {
	const calls = tags.map((tag) => ({ method: 'eth_getTransactionCount', params: [address, tag] }));
	return askEach(rpc, HEIGHT, calls);
}
