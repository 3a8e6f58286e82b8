/** Payers who pay months later, while orders move to the archive: once more, the whole amount, to the same address. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import { networkNamed } from '../../../src/catalog/networks.ts';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Service } from '../service.ts';
import type { World } from '../world.ts';
import type { Story } from './orders.ts';

interface Street {
	readonly service: Service;
	readonly world: World;
}

/** Of all orders. */
const SHARE = 0.2;

/** Each at some moment of the next `span` milliseconds. */
export function payLate(street: Street, stories: readonly Story[], span: number): void {
	const { world } = street;
	for (const story of stories)
		if (story.id && world.random.chance(SHARE)) world.after(world.random.next() * span, () => payAgain(street, story));
}

export function payAgain({ service, world }: Street, { told, id, key }: Story): void {
	const from = told.at(-1)?.from;
	if (!from || !id) return;
	const { network, decimals } = assetOf(from.code as AssetId);
	const txId = sandboxTxId(networkNamed(network).family, `${key} months later`);
	const amount = toBaseUnits(from.amount, decimals);
	world.note(`somebody pays ${id} months later`);
	const paid = { txId, address: from.address, asset: from.code, amount: String(amount) };
	void service.object('SANDBOX_LEDGER', network).call('deposit', [{ ...paid, confirmations: FINAL_CONFIRMATIONS }]);
}
