/**
 * An Esplora over a real litecoind: each answer has the fields of the published API (Blockstream's `API.md`), made from
 * what the node says.
 */
import { hex } from '@scure/base';
import { type JsonRpc, RpcError } from '../../src/chains/rpc/json-rpc.ts';
import { blockReader, type Front, oneAtATime, startFront, transactionReader } from './front.ts';

const UNIT = 100_000_000;
/** Fewer than the real one's 25, so that a test has several pages. */
const PER_PAGE = 2;
const base = (coins: unknown): number => Math.round(Number(coins) * UNIT);

interface Decoded {
	readonly txid: string;
	readonly version: number;
	readonly locktime: number;
	readonly size: number;
	readonly weight: number;
	readonly hex: string;
	readonly blockhash?: string;
	readonly vin: readonly {
		readonly txid?: string;
		readonly vout?: number;
		readonly sequence?: number;
		readonly scriptSig?: { hex: string };
		readonly txinwitness?: readonly string[];
	}[];
	readonly vout: readonly {
		readonly value?: string;
		readonly scriptPubKey?: { hex: string; type: string; addresses?: readonly string[] };
	}[];
}

interface Header {
	readonly hash: string;
	readonly height: number;
	readonly version: number;
	readonly time: number;
	readonly bits: string;
	readonly nonce: number;
	readonly merkleroot: string;
	readonly confirmations: number;
	readonly previousblockhash?: string;
}

export function startEsplora(real: JsonRpc): Promise<Front> {
	const node = oneAtATime(real);
	const transactionsOf = blockReader<Decoded>(node);
	const transaction = transactionReader<Decoded>(node);
	return startFront(async ({ method, path, body }) => {
		const [what = '', one = '', two, three, last] = path.split('/').slice(1);
		const header = async (hash: string) => (await node.call('getblockheader', hash)) as Header;
		const hashAt = async (height: number) => String(await node.call('getblockhash', height));
		const tip = async () => Number(await node.call('getblockcount'));

		async function statusOf({ blockhash }: Pick<Decoded, 'blockhash'>) {
			const found = blockhash === undefined ? null : await header(blockhash);
			if (!found || found.confirmations < 0) return { confirmed: false };
			return { confirmed: true, block_height: found.height, block_hash: found.hash, block_time: found.time };
		}

		const output = ({ value = '0', scriptPubKey }: Decoded['vout'][number]) => ({
			scriptpubkey: scriptPubKey?.hex ?? '',
			scriptpubkey_asm: '',
			scriptpubkey_type: scriptPubKey?.type ?? 'unknown',
			scriptpubkey_address: scriptPubKey?.addresses?.[0],
			value: base(value),
		});

		async function shown(txId: string) {
			const found = await transaction(txId);
			const inputs = await Promise.all(
				found.vin.map(async ({ txid, vout = 0, sequence, scriptSig, txinwitness }) => {
					const prevout = txid === undefined ? undefined : (await transaction(txid)).vout[vout];
					return {
						txid,
						vout,
						is_coinbase: txid === undefined,
						scriptsig: scriptSig?.hex ?? '',
						witness: txinwitness,
						sequence,
						prevout: prevout ? output(prevout) : null,
					};
				}),
			);
			const paid = inputs.reduce((sum, { prevout }) => sum + (prevout?.value ?? 0), 0);
			const outputs = found.vout.map(output);
			return {
				txid: found.txid,
				version: found.version,
				locktime: found.locktime,
				vin: inputs,
				vout: outputs,
				size: found.size,
				weight: found.weight,
				fee: paid === 0 ? 0 : paid - outputs.reduce((sum, { value }) => sum + value, 0),
				status: await statusOf(found),
			};
		}

		/** Whichever transaction of the mempool or of a block spends it. */
		async function spender(txId: string, vout: number) {
			const status = await statusOf(await transaction(txId));
			const all: Decoded[] = [];
			for (const id of (await node.call('getrawmempool')) as string[]) all.push(await transaction(id));
			for (let at = status.block_height ?? Number.MAX_SAFE_INTEGER; at <= (await tip()); at++)
				all.push(...(await transactionsOf(await hashAt(at))));
			return all.find(({ vin }) => vin.some((input) => input.txid === txId && input.vout === vout));
		}

		if (method === 'POST' && path === '/tx') {
			try {
				return { text: String(await node.call('sendrawtransaction', body)) };
			} catch (error) {
				if (!(error instanceof RpcError)) throw error;
				const { code, message } = error;
				return { status: 400, text: `sendrawtransaction RPC error: ${JSON.stringify({ code, message })}` };
			}
		}
		if (what === 'blocks') {
			const top = one === '' ? await tip() : Number(one);
			if (top > (await tip())) return { status: 404, text: 'Block not found' };
			const heights = Array.from({ length: Math.min(10, top + 1) }, (_, below) => top - below);
			const hashes = await node.batch(heights.map((height) => ({ method: 'getblockhash', params: [height] })));
			const headers = (await node.batch(
				hashes.map((hash) => ({ method: 'getblockheader', params: [hash] })),
			)) as Header[];
			return {
				json: headers.map((each) => ({
					id: each.hash,
					height: each.height,
					version: each.version,
					timestamp: each.time,
					bits: Number.parseInt(each.bits, 16),
					nonce: each.nonce,
					merkle_root: each.merkleroot,
					previousblockhash: each.previousblockhash ?? null,
				})),
			};
		}
		if (what === 'block-height') return { text: await hashAt(Number(one)) };
		if (what === 'block' && two === 'raw') return { bytes: hex.decode(String(await node.call('getblock', one, 0))) };
		if (what === 'tx' && two === 'raw') return { bytes: hex.decode((await transaction(one)).hex) };
		if (what === 'tx' && two === 'outspend') {
			const found = await spender(one, Number(three));
			return {
				json: found
					? { spent: true, txid: found.txid, status: await statusOf(await transaction(found.txid)) }
					: { spent: false },
			};
		}
		if (what === 'tx' && two === undefined) return { json: await shown(one) };
		if (what === 'address' && (two === undefined || three === 'chain')) {
			const touching: Awaited<ReturnType<typeof shown>>[] = [];
			const isHere = (each: Decoded['vout'][number] | undefined) => each?.scriptPubKey?.addresses?.[0] === one;
			for (let at = await tip(); at > 0; at--) {
				for (const { txid, vin, vout } of (await transactionsOf(await hashAt(at))).toReversed()) {
					const spent = vin.map(async (input) => input.txid && (await transaction(input.txid)).vout[input.vout ?? 0]);
					const all = [...vout, ...(await Promise.all(spent)).map((each) => each || undefined)];
					if (all.some(isHere)) touching.push(await shown(txid));
				}
			}
			const sum = (outputs: readonly (ReturnType<typeof output> | null)[]) =>
				outputs.reduce((all, each) => all + (each?.scriptpubkey_address === one ? each.value : 0), 0);
			const stats = {
				tx_count: touching.length,
				funded_txo_sum: sum(touching.flatMap(({ vout }) => vout)),
				spent_txo_sum: sum(touching.flatMap(({ vin }) => vin.map(({ prevout }) => prevout))),
			};
			if (two === undefined) return { json: { address: one, chain_stats: stats } };
			const from = touching.findIndex(({ txid }) => txid === last) + 1;
			return { json: touching.slice(from, from + PER_PAGE) };
		}
		if (what === 'address' && three === 'mempool') {
			const all: Awaited<ReturnType<typeof shown>>[] = [];
			for (const id of (await node.call('getrawmempool')) as string[]) all.push(await shown(id));
			const touching = all.filter(({ vin, vout }) =>
				[...vout, ...vin.flatMap(({ prevout }) => prevout ?? [])].some((each) => each.scriptpubkey_address === one),
			);
			return { json: touching.slice(0, 50) };
		}
		if (what === 'fee-estimates') return { json: { 2: 87.882, 3: 87.882, 4: 81.129, 6: 68.285, 144: 1.027 } };
		return { status: 404, text: 'Not found' };
	});
}
