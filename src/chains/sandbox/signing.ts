/**
 * Signing on the sandbox: real derivation of addresses, and transactions that only the embedded ledger accepts. A
 * transaction id has the network's format and is derived from the payment, so the same payment is the same transaction.
 */
import { assetOf, isNative } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';
import { PaymentImpossible } from '../errors.ts';
import type { ChainSigner, OwnAddresses } from '../signing-port.ts';
import { depositsOf, POSITION, sandboxDepth, sandboxFee, tokenAt } from './family.ts';
import type { SandboxLedger, SandboxPayout } from './ledger.ts';
import { sandboxTxId } from './transaction-id.ts';

export function sandboxSigner(
	{ family }: Network,
	ledger: DurableObjectStub<SandboxLedger>,
	addresses: OwnAddresses,
): ChainSigner {
	let hotAddress: string | null = null;
	return {
		...addresses,
		hotAddress() {
			hotAddress ??= addresses.hotAddress();
			return hotAddress;
		},
		async finalAmount(refs, isFinal) {
			const found = await depositsOf(ledger, refs);
			return refs.reduce((sum, ref) => {
				const deposit = found.get(ref.txId);
				const holds =
					deposit?.address === ref.address &&
					deposit.asset === ref.asset &&
					BigInt(deposit.amount) === ref.amount &&
					ref.position === POSITION &&
					isFinal(sandboxDepth(deposit));
				return holds ? sum + ref.amount : sum;
			}, 0n);
		},
		async hasPaid(txId, { asset, to, amount }) {
			const paid = await ledger.payoutsTo([to]);
			return paid.some((each) => each.txId === txId && each.asset === asset && each.amount === amount.toString());
		},
		async replace() {
			throw new PaymentImpossible('the sandbox takes each transaction at once');
		},
		async sign({ id, asset, to, amount }) {
			const fee = sandboxFee(asset);
			const txId = sandboxTxId(family, JSON.stringify([id, asset, to, amount.toString()]));
			const payout: SandboxPayout = { txId, asset, to, amount: amount.toString(), fee: fee.toString(), from: null };
			return {
				raw: JSON.stringify(payout),
				txId,
				spends: [{ kind: 'payment', id }],
				fee: isNative(assetOf(asset)) ? fee : 0n,
			};
		},
		async returnToken({ id, token, index, to }) {
			const from = addresses.payInAddress(index);
			const amount = await tokenAt(ledger, from, token);
			const txId = sandboxTxId(family, JSON.stringify([id, token, to, amount.toString()]));
			const raw = JSON.stringify({ txId, asset: token, to, amount: amount.toString(), fee: '0', from });
			return { raw, txId, spends: [{ kind: 'payment', id }], fee: 0n, amount };
		},
	};
}
