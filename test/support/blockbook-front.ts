/**
 * A Blockbook over a real litecoind: each answer has the fields of the published API v2 (trezor's `docs/api.md`), made from
 * what the node says, and leaves out what has no value.
 */
import { type JsonRpc, RpcError } from '../../src/chains/rpc/json-rpc.ts';
import { blockReader, type Front, oneAtATime, startFront, transactionReader } from './front.ts';

const UNIT = 100_000_000;
const base = (coins: unknown): string => String(Math.round(Number(coins) * UNIT));

interface Decoded {
	readonly txid: string;
	readonly version: number;
	readonly vsize: number;
	readonly hex: string;
	readonly blockhash?: string;
	readonly confirmations?: number;
	readonly vin: readonly { txid?: string; vout?: number; sequence?: number }[];
	readonly vout: readonly {
		readonly value?: string;
		readonly n?: number;
		readonly scriptPubKey?: { hex: string; addresses?: readonly string[] };
	}[];
}

/** Go's `omitempty`. */
const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '' || value === 0 || value === false;
const filled = (fields: Record<string, unknown>): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));

export function startBlockbook(real: JsonRpc): Promise<Front> {
	const node = oneAtATime(real);
	const transactionsOf = blockReader<Decoded>(node);
	const transaction = transactionReader<Decoded>(node);
	return startFront(async ({ method, path, body }) => {
		const { pathname, searchParams } = new URL(path, 'http://blockbook');
		const [, , , what, one = ''] = pathname.split('/');
		const tip = async () => Number(await node.call('getblockcount'));
		const hashAt = async (height: number) => String(await node.call('getblockhash', height));
		const isSpent = async (txId: string, n: number, pool: boolean) =>
			(await node.call('gettxout', txId, n, pool)) === null;

		async function spentBy(txid: string | undefined, vout = 0) {
			const spent = txid === undefined ? undefined : (await transaction(txid)).vout[vout];
			return spent && { value: base(spent.value), addresses: spent.scriptPubKey?.addresses ?? null };
		}

		async function shown(txId: string) {
			const found = await transaction(txId);
			const { confirmations = 0 } = found;
			const paid = await Promise.all(
				found.vin.map(async ({ txid, vout = 0 }) =>
					txid === undefined ? 0 : Number(base((await transaction(txid)).vout[vout]?.value ?? 0)),
				),
			);
			const made = found.vout.reduce((sum, { value = 0 }) => sum + Number(base(value)), 0);
			const fees = paid.reduce((sum, each) => sum + each, 0) - made;
			return {
				...filled({ version: found.version, vsize: found.vsize }),
				txid: found.txid,
				vin: await Promise.all(
					found.vin.map(async ({ txid, vout, sequence }, n) => ({
						n,
						...filled({ txid, vout, sequence }),
						...(await spentBy(txid, vout)),
					})),
				),
				vout: await Promise.all(
					found.vout.map(async ({ value, n = 0, scriptPubKey }) => ({
						value: base(value ?? 0),
						n,
						addresses: scriptPubKey?.addresses ?? null,
						isAddress: scriptPubKey?.addresses !== undefined,
						...filled({ hex: scriptPubKey?.hex, spent: confirmations > 0 && (await isSpent(txId, n, false)) }),
					})),
				),
				...filled({ blockHash: found.blockhash }),
				blockHeight: confirmations > 0 ? (await tip()) - confirmations + 1 : -1,
				confirmations,
				fees: String(Math.max(0, fees)),
				hex: found.hex,
			};
		}

		const pays = (address: string) => (each: Pick<Decoded, 'vout'>) =>
			each.vout.some(({ scriptPubKey }) => scriptPubKey?.addresses?.includes(address));
		const takesFrom = async (address: string, { vin }: Pick<Decoded, 'vin'>) => {
			const spent = await Promise.all(vin.map(({ txid, vout }) => spentBy(txid, vout)));
			return spent.some((each) => each?.addresses?.includes(address));
		};

		/** Transactions of the mempool and of all blocks from a height on that pay an address, or spend what it had. */
		async function payingFrom(height: number, address: string): Promise<string[]> {
			const found: Decoded[] = [];
			for (const txId of (await node.call('getrawmempool')) as string[]) found.push(await transaction(txId));
			for (let at = height; at <= (await tip()); at++) found.push(...(await transactionsOf(await hashAt(at))));
			const touching = await Promise.all(found.map(async (each) => pays(address)(each) || takesFrom(address, each)));
			return found.filter((_, at) => touching[at]).map(({ txid }) => txid);
		}

		if (pathname === '/api/')
			return {
				json: {
					blockbook: { coin: 'Litecoin', inSync: true, bestHeight: await tip(), inSyncMempool: true, decimals: 8 },
					backend: { chain: 'regtest', blocks: await tip(), bestBlockHash: await hashAt(await tip()) },
				},
			};
		if (what === 'block-index')
			return { json: { blockHash: Number(one) > (await tip()) ? '' : await hashAt(Number(one)) } };
		if (what === 'rawblock') {
			const hash = one.length === 64 ? one : await hashAt(Number(one));
			return { json: { hex: await node.call('getblock', hash, 0) } };
		}
		if (what === 'tx') return { json: await shown(one) };
		if (what === 'utxo') {
			const unspent: unknown[] = [];
			for (const txId of await payingFrom(1, one)) {
				const { vout, confirmations } = await shown(txId);
				for (const { n, value, addresses } of vout)
					if (addresses?.includes(one) && !(await isSpent(txId, n, true)))
						unspent.push({ txid: txId, vout: n, value, confirmations });
			}
			return { json: unspent };
		}
		if (what === 'address') {
			const transactions: unknown[] = [];
			for (const txId of await payingFrom(Number(searchParams.get('from')), one)) transactions.push(await shown(txId));
			const found = transactions.length > 0 && { transactions };
			const { total_amount: held } = (await node.call('scantxoutset', 'start', [`addr(${one})`])) as {
				total_amount: unknown;
			};
			return { json: { page: 1, totalPages: 1, itemsOnPage: 1000, address: one, balance: base(held), ...found } };
		}
		if (what === 'estimatefee') return { json: { result: '0.00012345' } };
		if (what === 'sendtx' && method === 'POST') {
			try {
				return { json: { result: await node.call('sendrawtransaction', body) } };
			} catch (error) {
				if (!(error instanceof RpcError)) throw error;
				return { status: 400, json: { error: `${error.code}: ${error.message}` } };
			}
		}
		return { status: 404, text: 'Not found' };
	});
}
