/** A network on the sandbox: the port over its embedded ledger, with the real network's address rules. */
import { type AssetId, allAssets, assetOf } from '../../catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
import type { Network, NetworkName } from '../../catalog/networks.ts';
import { toBaseUnits } from '../../money/units.ts';
import type { Chain, DepositRef, Depth, ObservedDeposit, Received } from '../port.ts';
import type { ChangedDeposit, SandboxDeposit, SandboxLedger, SandboxPayout } from './ledger.ts';

/** Deposits that one scan reads. The next scan continues after them. */
const SCAN_LIMIT = 500;
/** The hot wallet starts with this many whole coins of each asset. */
const RESERVE_COINS = 100_000_000n;
/** Each deposit of the sandbox is its own transaction. */
export const POSITION = '0';

/** Network fee of a payout, in the asset's own coins: about what the real networks cost. */
const PAYOUT_FEE = {
	BTC: '0.00002',
	ETH: '0.00005',
	BNB: '0.00001',
	SOL: '0.00001',
	TRX: '0.3',
	XMR: '0.0001',
	LTC: '0.0001',
	ETHARB: '0.000005',
	POL: '0.005',
	AVAX: '0.0005',
	DASH: '0.00001',
	ETHOP: '0.000005',
	USDTERC20: '0.4',
	USDTBEP20: '0.03',
	USDTARB: '0.03',
	USDTPOL: '0.005',
	USDTAVAX: '0.03',
	USDTOP: '0.03',
	USDTSOL: '0.3',
	USDTTRC20: '2',
	USDCERC20: '0.4',
	USDCBEP20: '0.03',
	USDCARB: '0.03',
	USDCPOL: '0.005',
	USDCAVAX: '0.03',
	USDCOP: '0.03',
	USDCSOL: '0.3',
	DAIERC20: '0.4',
	DAIBEP20: '0.03',
	DAIARB: '0.03',
	DAIPOL: '0.005',
	DAIAVAX: '0.03',
	DAIOP: '0.03',
} as const satisfies Record<AssetId, string>;

export const sandboxFee = (asset: AssetId): bigint => toBaseUnits(PAYOUT_FEE[asset], assetOf(asset).decimals);

export const sandboxDepth = ({ confirmations }: Pick<SandboxDeposit, 'confirmations'>): Depth => ({
	confirmations,
	irreversible: confirmations >= FINAL_CONFIRMATIONS,
	height: confirmations === 0 ? null : FINAL_CONFIRMATIONS - confirmations,
});

/** A payout is final as soon as the ledger contains it. */
const PAID_DEPTH = sandboxDepth({ confirmations: FINAL_CONFIRMATIONS });

/** A ledger has no blocks: the change that made a deposit final is its height. */
const observed = (deposit: ChangedDeposit): ObservedDeposit => ({
	txId: deposit.txId,
	position: POSITION,
	address: deposit.address,
	asset: deposit.asset,
	amount: BigInt(deposit.amount),
	...sandboxDepth(deposit),
	height: deposit.confirmations < FINAL_CONFIRMATIONS ? null : deposit.change,
});

const openingBalance = (asset: AssetId): bigint => RESERVE_COINS * 10n ** BigInt(assetOf(asset).decimals);

const openingOf = (name: NetworkName) =>
	allAssets()
		.filter(({ network }) => network === name)
		.map(({ code }) => ({ asset: code, amount: openingBalance(code).toString() }));

type Ledger = DurableObjectStub<SandboxLedger>;

/** Those among these that the ledger has, by transaction. */
export const depositsOf = async (ledger: Ledger, refs: readonly DepositRef[]): Promise<Map<string, SandboxDeposit>> =>
	new Map((await ledger.lookUp(refs.map(({ txId }) => txId))).map((deposit) => [deposit.txId, deposit]));

/** `isAddress`: the real network's rule. */
export function sandboxChain({ name }: Network, ledger: Ledger, isAddress: (text: string) => boolean): Chain {
	return {
		sequential: false,
		isAddress,
		/**
		 * The ledger accepts deposits to any address. It learns the hot wallet's address here, and gives it its first
		 * coins.
		 */
		async register(addresses) {
			const wallet = addresses.find(({ index }) => index < 0);
			if (wallet) await ledger.open(wallet.address, openingOf(name));
		},
		async scan(cursor) {
			const { deposits, change } = await ledger.changes(Number(cursor ?? 0), SCAN_LIMIT);
			return { deposits: deposits.map(observed), cursor: String(change), height: FINAL_CONFIRMATIONS, settled: change };
		},
		async depths(refs) {
			const found = await depositsOf(ledger, refs);
			return refs.map(({ txId }) => {
				const deposit = found.get(txId);
				return deposit ? sandboxDepth(deposit) : null;
			});
		},
		async costsNow() {
			return async (asset) => ({ fee: { asset, amount: sandboxFee(asset) } });
		},
		async broadcast(raw) {
			await ledger.broadcast(JSON.parse(raw) as SandboxPayout);
		},
		async transactionDepth(txId) {
			return (await ledger.hasPayout(txId)) ? { ...PAID_DEPTH, reverted: false, fee: 0n } : null;
		},
		async paymentsTo(asset, to) {
			const found = (await ledger.payoutsTo(to)).filter((payout) => payout.asset === asset);
			return found.map(({ txId, to: paid, amount }) => ({ txId, to: paid, amount: BigInt(amount) }));
		},
		async balance(asset) {
			return openingBalance(asset) - (await ledger.spent(asset));
		},
		async holdings(asset) {
			const { deposited, paid } = await ledger.flow(asset);
			return deposited - paid;
		},
		/** All that ever came: nothing leaves an address of the ledger. */
		async lying(addresses) {
			const held = await ledger.lying(addresses);
			return new Map(
				openingOf(name).map(({ asset }) => [asset, addresses.map((address) => held.get(`${asset} ${address}`) ?? 0n)]),
			);
		},
		received: (txId, address) => received(ledger, txId, address),
		reserve: 'credits',
		async check() {
			return [{ what: 'sandbox', ok: true, detail: 'runs on an embedded ledger: no coins, no node' }];
		},
	};
}

async function received(ledger: Ledger, txId: string, address: string): Promise<Received | null> {
	const [deposit] = await ledger.lookUp([txId]);
	if (!deposit) return null;
	const { asset, amount, confirmations } = deposit;
	const assets = new Map(deposit.address === address ? [[asset, BigInt(amount)]] : []);
	return { isInBlock: confirmations > 0, assets, tokens: new Map() };
}
