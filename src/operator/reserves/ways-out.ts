/** Where withdrawals from a hot wallet may go: the signer's own configuration says it, and how much goes there in a day. */
import type { NetworkName } from '../../catalog/networks.ts';
import { logError } from '../../platform/log.ts';
import type { WithdrawalAddress } from '../../ports/signer.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import type { Context } from '../command.ts';

/** The addresses, the default first, or why there is none. `isSet`: the signer's variable is set, and wrong. */
export type WaysOut =
	| { readonly addresses: readonly WithdrawalAddress[] }
	| { readonly refused: string; readonly isSet: boolean };

export const NOT_ASKED: WaysOut = { refused: 'the signer does not answer', isSet: true };

export async function waysOut({ env }: Pick<Context, 'env'>, network: NetworkName): Promise<WaysOut> {
	try {
		const found = await env.SIGNER.withdrawalAddresses(network);
		if ('addresses' in found) return found;
		return { refused: refusalText(found.refused), isSet: found.refused.kind !== 'withdraw-address-not-set' };
	} catch (error) {
		logError('signer_not_asked', error, { network });
		return NOT_ASKED;
	}
}

/** Does the day's cap of the address allow so many US cents more? */
export const hasRoom = ({ capCents, usedCents }: WithdrawalAddress, cents: number): boolean =>
	capCents === null || usedCents + cents <= capCents;
