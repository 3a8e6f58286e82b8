/** Transfers of a token that an account sent, by the contract's logs. */
import { ChainUnavailable } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { TRANSFER_TOPIC, wordOf } from './erc20.ts';
import { read, unavailable } from './node.ts';
import type { Range } from './nonce-search.ts';
import { hexOf, LOGS } from './shapes.ts';
import { paidBy } from './transfers.ts';

/** `eth_getLogs` calls of one search. */
const MAX_CALLS = 150;

/** @throws ChainUnavailable, also where there is too much to read */
export async function transfersFrom(rpc: JsonRpc, contract: string, { account, from, to }: Range) {
	const sent: { readonly txId: string; readonly to: string; readonly amount: bigint }[] = [];
	let blocksAtOnce = to - from + 1;
	let calls = 0;
	for (let low = from; low <= to; ) {
		if (++calls > MAX_CALLS) throw new ChainUnavailable('the node gives the logs of too few blocks at a time');
		const high = Math.min(low + blocksAtOnce - 1, to);
		const filter = {
			address: contract,
			topics: [TRANSFER_TOPIC, `0x${wordOf(account)}`],
			fromBlock: hexOf(low),
			toBlock: hexOf(high),
		};
		try {
			for (const log of read(LOGS, 'eth_getLogs', await rpc.call('eth_getLogs', filter))) {
				const paid = paidBy(log);
				const isOurs = log.address === contract && log.topics[1] === `0x${wordOf(account)}`;
				if (paid && isOurs) sent.push({ txId: log.transactionHash, ...paid });
			}
			low = high + 1;
		} catch (error) {
			if (!(error instanceof RpcError) || low === high) throw unavailable('eth_getLogs', error);
			// The node allows fewer blocks or fewer logs.
			blocksAtOnce = Math.ceil((high - low + 1) / 2);
		}
	}
	return sent;
}
