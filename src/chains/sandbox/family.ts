/** A network on the sandbox: the port over its embedded ledger, with the real network's address rules. */
import { type AssetId, allAssets, assetOf, isAssetId } from '../../catalog/assets.ts';
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

/** Network fee of a payout: of the network's coin, and of its tokens, in the asset's own coins. About what the real networks cost. */
const PAYOUT_FEE: Readonly<Record<NetworkName, readonly [coin: string, token?: string]>> = {
	Bitcoin: ['0.00002'],
	Ethereum: ['0.00005', '0.4'],
	BSC: ['0.00001', '0.03'],
	Solana: ['0.00001', '0.3'],
	Tron: ['0.3', '2'],
	Monero: ['0.0001'],
	Litecoin: ['0.0001'],
	Arbitrum: ['0.000005', '0.03'],
	Polygon: ['0.005', '0.005'],
	Avalanche: ['0.0005', '0.03'],
	Dash: ['0.00001'],
	Optimism: ['0.000005', '0.03'],
};

export function sandboxFee(asset: AssetId): bigint {
	const { network, decimals, contract } = assetOf(asset);
	const [coin, token = coin] = PAYOUT_FEE[network];
	return toBaseUnits(contract === undefined ? coin : token, decimals);
}

export const sandboxDepth = ({ confirmations }: Pick<SandboxDeposit, 'confirmations'>): Depth => ({
	confirmations,
	irreversible: confirmations >= FINAL_CONFIRMATIONS,
	height: confirmations === 0 ? null : FINAL_CONFIRMATIONS - confirmations,
});

/** A payout is final as soon as the ledger contains it. */
const PAID_DEPTH = sandboxDepth({ confirmations: FINAL_CONFIRMATIONS });

/** A ledger has no blocks: the change that made a deposit final is its height. */
const observed = ({ txId, address, asset, amount, ...deposit }: ChangedDeposit): ObservedDeposit[] => {
	if (!isAssetId(asset)) return [];
	const height = deposit.confirmations < FINAL_CONFIRMATIONS ? null : deposit.change;
	return [{ txId, position: POSITION, address, asset, amount: BigInt(amount), ...sandboxDepth(deposit), height }];
};

const openingBalance = (asset: AssetId): bigint => RESERVE_COINS * 10n ** BigInt(assetOf(asset).decimals);

const openingOf = (name: NetworkName) =>
	allAssets()
		.filter(({ network }) => network === name)
		.map(({ code }) => ({ asset: code, amount: openingBalance(code).toString() }));

type Ledger = DurableObjectStub<SandboxLedger>;

/** Those among these that the ledger has, by transaction. */
export const depositsOf = async (ledger: Ledger, refs: readonly DepositRef[]): Promise<Map<string, SandboxDeposit>> =>
	new Map((await ledger.lookUp(refs.map(({ txId }) => txId))).map((deposit) => [deposit.txId, deposit]));

/** Its smallest units there. */
export async function tokenAt(ledger: Ledger, address: string, token: string): Promise<bigint> {
	return (await ledger.tokensAt(address)).find((each) => each.token === token)?.amount ?? 0n;
}

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
			return {
				deposits: deposits.flatMap(observed),
				cursor: String(change),
				height: FINAL_CONFIRMATIONS,
				settled: change,
			};
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
		lying: (addresses) => lying(name, ledger, addresses),
		received: (txId, address) => received(ledger, txId, address),
		unlisted: (address) => ledger.tokensAt(address),
		quoteToken: async ({ address, token }) => ({ amount: await tokenAt(ledger, address, token), fee: 0n, gas: 0n }),
		reserve: 'credits',
		async check() {
			return [{ what: 'sandbox', ok: true, detail: 'runs on an embedded ledger: no coins, no node' }];
		},
	};
}

/** All that ever came: of what is listed nothing leaves an address of the ledger. */
async function lying(name: NetworkName, ledger: Ledger, addresses: readonly string[]) {
	const held = await ledger.lying(addresses);
	return new Map(
		openingOf(name).map(({ asset }) => [asset, addresses.map((address) => held.get(`${asset} ${address}`) ?? 0n)]),
	);
}

async function received(ledger: Ledger, txId: string, address: string): Promise<Received | null> {
	const [deposit] = await ledger.lookUp([txId]);
	if (!deposit) return null;
	const { asset, amount, confirmations } = deposit;
	const isInBlock = confirmations > 0;
	if (deposit.address !== address) return { isInBlock, assets: new Map(), tokens: new Map() };
	if (isAssetId(asset)) return { isInBlock, assets: new Map([[asset, BigInt(amount)]]), tokens: new Map() };
	return { isInBlock, assets: new Map(), tokens: new Map([[asset, await tokenAt(ledger, address, asset)]]) };
}
