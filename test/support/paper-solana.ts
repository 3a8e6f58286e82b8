/** A node of Solana on paper: the cluster is no mainnet, and each transaction brought coins to one address and is finalized. */
import { sha512 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';

const GENESIS = base58.encode(new Uint8Array(32).fill(7));
const SENDER = base58.encode(new Uint8Array(32).fill(9));
const SLOT = 1_000;

interface Request {
	readonly id?: number;
	readonly method: string;
	readonly params?: readonly unknown[];
}

export interface PaperSolana {
	/** Lamports that came to an address: the id of the transaction. */
	paid(to: string, lamports: bigint): string;
	answer(body: unknown): unknown;
}

export function paperSolana(): PaperSolana {
	const came = new Map<string, { readonly to: string; readonly lamports: bigint }>();
	const context = { slot: SLOT };
	const result = ({ method, params: [asked] = [] }: Request): unknown => {
		switch (method) {
			case 'getGenesisHash':
				return GENESIS;
			case 'getMultipleAccounts':
				return { context, value: (asked as readonly string[]).map(() => null) };
			case 'getSignatureStatuses': {
				const status = { slot: SLOT, err: null, confirmationStatus: 'finalized' };
				return { context, value: (asked as readonly string[]).map((txId) => (came.has(txId) ? status : null)) };
			}
			case 'getTransaction': {
				const found = came.get(asked as string);
				if (!found) return null;
				const lamports = Number(found.lamports);
				return {
					slot: SLOT,
					meta: { err: null, fee: 5_000, preBalances: [lamports * 2, 0], postBalances: [lamports - 5_000, lamports] },
					transaction: { signatures: [asked], message: { accountKeys: [SENDER, found.to] } },
				};
			}
			default:
				throw new Error(`nobody told this node of ${method}`);
		}
	};
	const answered = (request: Request) => ({ jsonrpc: '2.0', id: request.id, result: result(request) });
	return {
		paid(to, lamports) {
			const txId = base58.encode(sha512(new TextEncoder().encode(`${to} ${came.size}`)));
			came.set(txId, { to, lamports });
			return txId;
		},
		answer: (body) => (Array.isArray(body) ? (body as Request[]).map(answered) : answered(body as Request)),
	};
}
