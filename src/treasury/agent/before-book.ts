/**
 * The state before a book of coins that an agent finds empty. D1 has a mark of the network where there was one, with
 * the height of its oldest unspent coin, and the signer knows every address.
 */
import { eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Before } from '../../chains/watching-port.ts';
import type { SignerService } from '../../ports/signer.ts';
import { arrivalMarks } from '../ledger/table.ts';

const NOTHING_BEFORE: Before = { isAgain: false, from: null, addresses: [] };

/** @throws what D1 or the signer throws: a book that lacks addresses would not see what they hold */
export async function beforeBook(
	db: DrizzleD1Database,
	signer: Pick<SignerService, 'payInAddresses' | 'hotAddress'>,
	network: NetworkName,
): Promise<Before> {
	const [mark] = await db.select().from(arrivalMarks).where(eq(arrivalMarks.network, network));
	if (!mark) return NOTHING_BEFORE;
	const hotAddress = await signer.hotAddress(network);
	const addresses: string[] = [];
	for (;;) {
		const page = await signer.payInAddresses(network, addresses.at(-1) ?? '');
		if (page.length === 0) return { isAgain: true, from: mark.readFrom, addresses: [...addresses, hotAddress] };
		addresses.push(...page);
	}
}
