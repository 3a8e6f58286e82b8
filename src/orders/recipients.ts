/**
 * Recipients at which coins would be lost, as far as a node shows: asked when an order is made, and asked again by the
 * signer. A node that is slow or does not answer keeps nobody from making an order.
 */
import type { Asset } from '../catalog/assets.ts';
import { log } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import type { CreateContext, CreateInput } from './creation.ts';

const WAIT_MILLISECONDS = 2_000;

/** Which of the two cannot use what it would get; null where nothing is known against them. Never throws. */
export async function unusableRecipient(
	context: Pick<CreateContext, 'recipientProblem'>,
	{ from, to, toAddress, refundAddress }: CreateInput,
): Promise<'toAddress' | 'refundAddress' | null> {
	const [payout, refund] = await Promise.all([
		problemOf(context, to, toAddress),
		problemOf(context, from, refundAddress),
	]);
	if (payout) return 'toAddress';
	return refund ? 'refundAddress' : null;
}

async function problemOf({ recipientProblem }: Pick<CreateContext, 'recipientProblem'>, asset: Asset, address: string) {
	const answer = recipientProblem(asset, address);
	if (answer === null) return null;
	const asked = answer.catch((error) => {
		log('recipient_not_checked', { network: asset.network, error: String(error) });
		return null;
	});
	return within(asked, WAIT_MILLISECONDS, () => null);
}
