/**
 * Sends a signed transaction to the network; repeating it is safe. "Already known" is success; permanent errors block
 * the transaction for the operator; everything else is a transient error. One that pays too little says so: the signer
 * then makes a version of it with a higher fee.
 */
import { hex } from '@scure/base';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { coinsAt, sendAt } from './book/reads.ts';
import { keyOf } from './depth.ts';
import { readTransaction, type Transaction } from './transaction-bytes.ts';
import { formOf, type Watching } from './watching.ts';

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(watching: Watching, raw: string): Promise<void> {
	const { sources, book, params } = watching;
	const answer = await sources.use((source) => source.broadcast(raw));
	const transaction = readTransaction(hex.decode(raw), formOf(params));
	if (answer === 'sent') book.noteMade(transaction.id, raw);
	else await explainMissingInputs(watching, transaction, answer.missingInputs);
}

/**
 * Inputs are missing for one of three reasons. Our transaction is in the chain and all its outputs are already spent:
 * success. This node has not seen an earlier transaction of ours yet, or has dropped it: a transient error. Another
 * transaction spent the inputs: a permanent error.
 */
async function explainMissingInputs(watching: Watching, { id, spends }: Transaction, message: string): Promise<void> {
	const { keeper, sources, book } = watching;
	await keeper.current();
	if (sendAt(book, id)) return;
	const coins = coinsAt(book, spends);
	if (coins.some(({ spentBy }) => spentBy !== null)) throw new BroadcastRejected(message, { taken: true });
	const [inChain, inPool] = await sources.use(async (source) => [
		await source.outputs(spends, 'without pool'),
		await source.outputs(spends, 'with pool'),
	]);
	// The chain has it, and the mempool spends it.
	if (spends.some((_, at) => inChain[at] && !inPool[at])) throw new BroadcastRejected(message, { taken: true });
	const [missing] = spends.filter((_, at) => !inPool[at]).map(keyOf);
	throw new ChainUnavailable(`${message}; the node lacks ${missing}, of an earlier transaction of ours`);
}
