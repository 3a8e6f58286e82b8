/** Checks what the operator sets for a partner, beyond the shape of the input. Each problem is one line. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { offeredAssets } from '../../chains/configuration.ts';
import { webhookUrlProblem } from '../../http/webhook-url.ts';
import { type OrderPageSettings, orderPageProblem } from '../../partners/order-page.ts';
import { keeperOf, type OperatorEnv } from '../env.ts';

/** Null when the webhook URL may be used. */
export function webhookProblem(env: OperatorEnv, url: string | null | undefined): string | null {
	const problem = url ? webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' }) : null;
	if (url === '') return 'the webhook URL is empty; none clears it';
	return problem && `the webhook URL ${problem}`;
}

/** Null when the settings of order pages may be stored, or are not named. */
export const pageProblem = (env: OperatorEnv, settings: OrderPageSettings | undefined): string | null =>
	settings ? orderPageProblem(settings, env.WEBHOOK_LOOPBACK === 'allowed') : null;

/** Null when earnings can be paid there: an address is valid only together with its asset's network. */
export async function payoutProblem(
	env: OperatorEnv,
	asset: string | null,
	address: string | null,
): Promise<string | null> {
	if (address === null) return null;
	if (asset === null || !isAssetId(asset)) return 'a payout address needs a payout asset beside it';
	const { network } = assetOf(asset);
	if (!offeredAssets(env).includes(asset)) return `this deployment does not move ${asset} on ${network}`;
	if ((await keeperOf(env).plainAddress(network, address)) !== null) return null;
	return `${address} is not an address on ${network}, where ${asset} is; give a payout address that fits the asset`;
}
