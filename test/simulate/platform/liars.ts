/** Nodes and price sources of the API Worker that lie. The signer asks honest ones of its own. */
import { type AssetId, nativeAsset } from '../../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../../src/catalog/confirmations.ts';
import type { NetworkName } from '../../../src/catalog/networks.ts';
import type { SandboxDeposit } from '../../../src/chains/sandbox/ledger.ts';
import type { World } from '../world.ts';

type Stub = Record<string, (...args: unknown[]) => Promise<unknown>>;
export interface Namespace {
	getByName(name: string): Stub;
	get(id: { readonly name: string }): Stub;
	idFromName(name: string): unknown;
}
type Lie = (truth: unknown, name: string) => unknown;

const FLOOD = 400;

/** `lies`: by method, what becomes of an answer. */
function lying(namespace: Namespace, lies: Readonly<Record<string, Lie>>): object {
	const wrapped = (stub: Stub, name: string) =>
		new Proxy(stub, {
			get(_, method: string) {
				const [call, lie] = [stub[method], lies[method]];
				return call && lie ? async (...args: unknown[]) => lie(await call(...args), name) : call;
			},
		});
	return {
		...namespace,
		getByName: (name: string) => wrapped(namespace.getByName(name), name),
		get: (id: { readonly name: string }) => wrapped(namespace.get(id), id.name),
	};
}

/** `lies`: the ids of the deposits that are said to be final and are not. */
export function lyingLedger(world: World, lies: Set<string>, namespace: Namespace): object {
	const { striker, random } = world;
	const asFinal = (deposit: SandboxDeposit): SandboxDeposit => {
		if (deposit.confirmations < FINAL_CONFIRMATIONS) lies.add(deposit.txId);
		return { ...deposit, confirmations: FINAL_CONFIRMATIONS };
	};
	/** Each deposit twice, in another order. */
	const repeated = (deposits: SandboxDeposit[]): SandboxDeposit[] =>
		deposits.length > 0 && striker.happens('node repeats', world)
			? [...deposits, ...deposits].sort(() => random.next() - 0.5)
			: deposits;
	return lying(namespace, {
		changes(truth, name) {
			const { deposits, change } = truth as { deposits: SandboxDeposit[]; change: number };
			const told = striker.happens('node lies', world) ? deposits.map(asFinal) : deposits;
			const flooded = striker.happens('node floods', world)
				? [...told, ...flood(nativeAsset(name as NetworkName), random.below(1e9))]
				: told;
			return { deposits: repeated(flooded), change };
		},
		lookUp: (truth) => {
			const deposits = truth as SandboxDeposit[];
			if (striker.happens('node forgets', world)) return [];
			return repeated(striker.happens('node lies', world) ? deposits.map(asFinal) : deposits);
		},
	});
}

/** Deposits to addresses that nobody has, in the network's own coin: no node names another's. */
const flood = (asset: AssetId, salt: number): SandboxDeposit[] =>
	Array.from({ length: FLOOD }, (_, i) => ({
		txId: `flood ${salt} ${i}`,
		address: `nobody ${i}`,
		asset,
		amount: '1',
		confirmations: 1,
	}));

export function lyingPrices(world: World, namespace: Namespace): object {
	const { striker, random } = world;
	return lying(namespace, {
		all(truth) {
			const prices = truth as Record<string, string>;
			if (!striker.happens('prices lie', world)) return prices;
			const coin = random.pick(Object.keys(prices));
			return {
				...prices,
				[coin]: random.pick(['0', '-1', 'NaN', '1e400', '0.000001', '99999999', prices[coin] ?? '']),
			};
		},
	});
}
