/** The vault's calls that persons confirm before they are carried out. */
import type { SignerService } from '../ports/signer.ts';
import type { ConfirmedCall } from '../ports/signer-calls.ts';
import { giveUpMove, type Move, restoredMove } from '../treasury/moves.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';

const MOVE_OF: { readonly [Call in ConfirmedCall]: (...given: Parameters<SignerService[Call]>) => Move } = {
	giveUp: giveUpMove,
	paidOther: (orderId, asset, txId) => ['another payment', orderId, asset, txId],
	confirmOrders: (orders, { looked, not }) => restoredMove({ orders, own: false, looked, not }),
	confirmOwn: ({ looked, not }) => restoredMove({ orders: [], own: true, looked, not }),
};

/**
 * Has each of them look its move up before anything is done, over any binding; where persons have not confirmed it,
 * it throws TypeError. `refusalOf`: why the move is not confirmed; null where it is.
 */
export function confirmFirst<Vault extends Pick<SignerService, ConfirmedCall>>(
	prototype: Vault,
	refusalOf: (vault: Vault, move: Move) => SignerRefusal | null,
): void {
	for (const [call, moveOf] of Object.entries(MOVE_OF) as [ConfirmedCall, (...given: unknown[]) => Move][]) {
		const carriedOut = prototype[call] as (...given: unknown[]) => Promise<unknown>;
		Object.defineProperty(prototype, call, {
			async value(this: Vault, ...given: unknown[]) {
				const refusal = refusalOf(this, moveOf(...given));
				if (refusal) throw new TypeError(refusalText(refusal));
				return carriedOut.apply(this, given);
			},
		});
	}
}
