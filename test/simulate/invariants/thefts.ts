/**
 * Somebody has the key of a hot wallet and takes coins out of it. They write a row as well, so that the books go down with the
 * wallet, or that the difference looks like a transaction under way. `ledger check` names each theft; afterwards everything is
 * as it was.
 */
import { type AssetId, nativeAsset } from '../../../src/catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../../../src/catalog/networks.ts';
import { Random } from '../../cast/random.ts';
import type { Crowd } from '../people/crowd.ts';

interface Cover {
	readonly state: 'signed' | 'sent';
	/** How long ago it claims to be signed. */
	readonly days: number;
}

const DAY_MILLISECONDS = 86_400_000;
const COVERS: readonly (Cover | null)[] = [null, { state: 'signed', days: 10 }, { state: 'sent', days: 0 }];
const MOST = 100_000_000;

interface Check {
	readonly unsigned: readonly { readonly transaction: string }[];
	readonly wallets: readonly { readonly asset: AssetId; readonly result: string; readonly difference: string | null }[];
}

/** Thefts that nothing says. Only from wallets that agreed before, and have no withdrawal open beside the thief's. */
export async function unseenThefts(crowd: Crowd): Promise<string[]> {
	const check = () => crowd.asked((client) => client.operate<Check>('ledger/check', {}));
	const { wallets } = await check();
	const even = new Set(wallets.filter(({ difference }) => difference === '0').map(({ asset }) => asset));
	const open = "SELECT asset FROM transactions WHERE kind = 'withdrawal' AND state <> 'final'";
	for (const { asset } of crowd.service.d1.rows(open)) even.delete(asset as AssetId);
	const networks = NETWORK_NAMES.filter(
		(name) => name !== 'Ethereum' && !crowd.service.nodeOf(name) && even.has(nativeAsset(name)),
	);
	if (networks.length === 0) return [];
	// Its own chance: what comes later in the seed is as it would be without it.
	const random = new Random(Math.floor(crowd.world.now));
	const unseen: string[] = [];
	for (const cover of COVERS) {
		const [network, amount] = [random.pick(networks), BigInt(random.below(MOST) + 1)];
		const asset = nativeAsset(network);
		take(crowd, network, amount);
		const id = cover && plant(crowd, network, amount, cover);
		const found = await check();
		const isNamed = found.unsigned.some(({ transaction }) => transaction === id);
		const differs = found.wallets.some((wallet) => wallet.asset === asset && wallet.result === 'differs');
		const isSeen = cover?.state === 'sent' ? isNamed : differs && (cover === null || isNamed);
		if (!isSeen)
			unseen.push(`ledger check does not see that ${amount} of ${asset} were stolen (${cover?.state ?? 'no row'})`);
		if (id) crowd.service.d1.rows('DELETE FROM transactions WHERE id = ?', id);
		giveBack(crowd, network);
	}
	return unseen;
}

const STOLEN = 'stolen';

function take(crowd: Crowd, network: NetworkName, amount: bigint): void {
	const insert = "INSERT INTO payouts (tx_id, asset, recipient, amount, fee) VALUES (?, ?, 'a thief', ?, '0')";
	ledger(crowd, network).prepared(insert).run(STOLEN, nativeAsset(network), amount.toString());
}

const giveBack = (crowd: Crowd, network: NetworkName) =>
	ledger(crowd, network).prepared('DELETE FROM payouts WHERE tx_id = ?').run(STOLEN);

const ledger = ({ service }: Crowd, network: NetworkName) => service.object('SANDBOX_LEDGER', network).disk;

/** No agent ever takes it up. */
function plant({ service, world }: Crowd, network: NetworkName, amount: bigint, { state, days }: Cover): string {
	const id = 'ffffffff-0000-4000-a000-000000000000';
	const at = Math.floor(world.now) - days * DAY_MILLISECONDS;
	service.d1.rows(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at,
			raw, tx_id, signed_at, sent_at) VALUES (?, 'withdrawal', ?, ?, 'x', ?, 1, ?, ?, 9e15, '{}', 'planted', ?, ?)`,
		id,
		network,
		nativeAsset(network),
		amount.toString(),
		state,
		at,
		at,
		state === 'sent' ? at : null,
	);
	return id;
}
