/**
 * The one choice of a payer: EXCHANGE at the live rate, where their partner lets payers decide. It is the partner's choice
 * in every other respect (book: contract, "POST /api/v1/emergency"). There is no choice of a refund: refunds are the
 * operator's, and go to the address that was named at create.
 */
import { chooseExchange } from '../orders/store.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import { mayExchange } from './order.ts';
import { findForPayer, forgetOrder, type Reader } from './read.ts';

/** False where there is nothing to choose, or not any more. Atomic: one statement, on the condition that it is EMERGENCY. */
export async function exchangeForPayer(reader: Reader, id: string, token: string): Promise<boolean> {
	const record = await findForPayer(reader, id, token);
	if (!record || !mayExchange(record)) return false;
	const { env, background } = reader;
	const isChosen = await chooseExchange(databaseOf(env), id, Date.now());
	forgetOrder(id);
	const { fromNetwork } = record.order;
	if (isChosen) background(objectNamed(env, env.CHAIN_AGENT, fromNetwork).wake(fromNetwork));
	return isChosen;
}
