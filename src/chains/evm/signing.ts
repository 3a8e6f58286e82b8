/**
 * The `ChainSigner` of an EVM network: its keys and signatures. It sees the chain through the signer's own nodes, pays
 * from the hot wallet and sweeps into it. It stores nothing: the used nonces are an argument. A payout keeps its nonce
 * for ever, and the next payout waits behind it.
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { Network, NetworkOf } from '../../catalog/networks.ts';
import { signMessage } from '../account-message.ts';
import type { NodeConfig } from '../configuration.ts';
import { InsufficientReserve, PaymentImpossible } from '../errors.ts';
import type { Look } from '../port.ts';
import { type Reservation, type ReservationOf, reservedOf } from '../reservations.ts';
import type { ChainSigner, Payment, SignedTransaction, SigningFamily, SigningState, Spent } from '../signing-port.ts';
import { isEvmAddress } from './address.ts';
import { spendable } from './balances.ts';
import { contractOf, transferOf } from './erc20.ts';
import { finalAmount } from './final-amount.ts';
import { gasLimit, requireTokenTransfer } from './gas.ts';
import { l1Fee } from './gas-prices.ts';
import { addressesOf, type EvmKey, hotKey, judgeKeys, ownAddresses, payInKey } from './keys.ts';
import { evmRpc } from './node.ts';
import { type Counters, countedNonce, nextNonce } from './nonces.ts';
import { type EvmParams, evmParams } from './params.ts';
import { hasPaid, sentPayments } from './payments-to.ts';
import { requireRecipient } from './recipient.ts';
import { replaceTransfer } from './replace.ts';
import { signTransfer } from './sign.ts';
import { signMove, signSweep } from './sign-sweep.ts';
import { pricesNow } from './sweep-cost.ts';

/** As of a journal that has signed nothing: all counts of all nodes must agree then. */
const NOTHING: Spent = { has: () => false, [Symbol.iterator]: () => [][Symbol.iterator]() };

interface Wallet extends Counters {
	readonly network: Network;
	readonly hot: EvmKey;
}

export const evmSigning: SigningFamily<NetworkOf<'evm'>> = {
	addresses: ownAddresses,
	judgeKeys,
	otherAddresses: addressesOf,
	signer: evmSigner,
};

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function evmSigner(network: NetworkOf<'evm'>, node: NodeConfig, seed: Uint8Array): ChainSigner {
	const params = evmParams(network, node.chain);
	const rpc = evmRpc(params, node);
	const counters = { rpc, nodes: node.urls.map((url) => evmRpc(params, { ...node, urls: [url] })) };
	const hot = hotKey(seed);
	const wallet: Wallet = { ...counters, network, hot };

	return {
		...ownAddresses(seed),
		finalAmount: (refs, isFinal, sweeps) => finalAmount(rpc, refs, isFinal, sweeps),
		hasPaid: (txId, payment) => hasPaid(rpc, hot.address, txId, payment),
		get look(): Partial<Look> {
			const sent = sentPayments(rpc, hot.address);
			return { paymentsTo: (asset, to, since) => sent({ contract: contractOf(params, asset), to, since }) };
		},
		sign: (payment, state) => sign(wallet, payment, state),
		async replace(previous, payment, _state, onlyIfRefused) {
			const contract = payableContract(payment, params);
			const transfer = transferOf(contract, payment.to, payment.amount);
			return replaceTransfer({ rpc, key: hot }, previous, transfer, onlyIfRefused);
		},
		async spentByChain() {
			const next = await nextNonce(counters, hot.address, null, { spent: NOTHING, indexesOf: () => new Map() });
			return next === 0 ? [] : [{ kind: 'nonce', account: null, nonce: next - 1 }];
		},
		signReserve: async (text, index) =>
			signMessage('Ethereum', text, (index === null ? hot : payInKey(seed, index)).privateKey),

		async sweep(sweep, state) {
			await rpc.requireAsset(sweep.asset);
			return signSweep({ ...counters, hotAddress: hot.address }, payInKey(seed, sweep.index), sweep, state);
		},
		returnToken: ({ index, token: contract, to }, state) =>
			signMove({ ...counters, hotAddress: hot.address }, payInKey(seed, index), { contract, to }, state),
	};
}

async function sign(wallet: Wallet, payment: Payment, state: SigningState): Promise<SignedTransaction> {
	const { rpc, network, hot } = wallet;
	const { params } = rpc;
	const contract = payableContract(payment, params);
	await rpc.requireAsset(payment.asset);
	await requireRecipient(rpc, payment.to);
	const transfer = transferOf(contract, payment.to, payment.amount);
	const { nonce, counted } = await countedNonce(wallet, hot.address, null, state);
	const open = openPayouts(state, counted);
	const free = (asset: AssetId) =>
		spendable(rpc, contractOf(params, asset), hot.address, reservedOf(open, asset, asset === params.native));
	const native = await free(params.native);
	const available = contract === null ? native : await free(payment.asset);
	if (available < payment.amount) throw shortOf(network, payment, available);
	if (contract !== null) await requireTokenTransfer(rpc, hot.address, transfer);
	const gas = await gasLimit(rpc, hot.address, transfer);
	const { maxFeePerGas, maxPriorityFeePerGas } = await pricesNow(rpc);
	const fee = gas * maxFeePerGas + (await l1Fee(rpc, contract === null ? 'native' : 'token'));
	if (native < transfer.value + fee) throw shortOf(network, { ...payment, asset: params.native }, native);
	const signed = signTransfer(params, hot, transfer, { nonce, gas, maxFeePerGas, maxPriorityFeePerGas });
	const { asset, amount } = payment;
	const spends: Reservation[] = [
		{ kind: 'nonce', account: null, nonce },
		{ kind: 'until nonce', nonce, asset, amount, fee },
	];
	return { ...signed, spends, fee };
}

/**
 * The amounts that signed payouts may still take from the hot wallet. A node does not know payouts that are not broadcast yet. A token
 * payout that finds too little does not wait: a block takes it, and it reverts. So each signature reserves what it takes
 * until the chain has counted its nonce. `counted`: transactions of the hot wallet that the chain holds, counted before the
 * balance is read: otherwise a payout that is mined in between would be missing from both.
 */
const openPayouts = ({ spent }: SigningState, counted: number): ReservationOf<'until nonce'>[] =>
	[...spent].filter((each) => each.kind === 'until nonce').filter(({ nonce }) => nonce >= counted);

/** The contract to call, null for the native coin. @throws PaymentImpossible */
function payableContract(payment: Payment, params: EvmParams): string | null {
	if (assetOf(payment.asset).network !== assetOf(params.native).network)
		throw new PaymentImpossible(`${payment.asset} is not on chain ${params.chainId}`);
	if (!isEvmAddress(payment.to)) throw new PaymentImpossible(`not an address: ${payment.to}`);
	if (payment.amount <= 0n) throw new PaymentImpossible(`nothing to pay: ${payment.amount}`);
	const contract = contractOf(params, payment.asset);
	if (payment.to.toLowerCase() === contract)
		throw new PaymentImpossible(`${payment.to} is the contract of ${payment.asset} itself: what it is sent is lost`);
	return contract;
}

/** `available`: the wallet's balance minus what its open payouts may still take. */
const shortOf = (network: Network, { asset, amount }: Payment, available: bigint): InsufficientReserve =>
	new InsufficientReserve(
		`${network.name} cannot pay ${amount} base units and the fee: ${available} of ${asset} are free`,
	);
