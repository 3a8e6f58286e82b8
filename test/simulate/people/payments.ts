/** Payments on the embedded ledgers, in which the simulator's payers pay. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { networkNamed } from '../../../src/catalog/networks.ts';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import type { Service } from '../service.ts';
import type { World } from '../world.ts';

/** Where payers live. */
export interface Street {
	readonly service: Service;
	readonly world: World;
}

export interface Payment {
	readonly txId: string;
	readonly address: string;
	readonly asset: AssetId;
	/** Base units. */
	readonly amount: bigint;
}

/** `name`: of the transaction, which no other one has. */
export const transactionOf = (asset: AssetId, name: string): string =>
	sandboxTxId(networkNamed(assetOf(asset).network).family, name);

export async function deposit({ service }: Street, payment: Payment, confirmations: number): Promise<void> {
	const ledger = service.object('SANDBOX_LEDGER', assetOf(payment.asset).network);
	await ledger.callAgain('deposit', [{ ...payment, amount: String(payment.amount), confirmations }]);
}
