/** The parts of a vault that its calls share: the journal with its volumes and copy, and the wallets of each network. */
import { DurableObject } from 'cloudflare:workers';
import { and, eq, gt } from 'drizzle-orm';
import type { NetworkName } from '../catalog/networks.ts';
import type { Before } from '../chains/watching-port.ts';
import { type KeyRing, keyRing } from '../crypto/key-ring.ts';
import { orderSealHolds } from '../orders/seal.ts';
import { orders } from '../orders/table.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { observe } from '../platform/metrics/observe.ts';
import { arrivalMarks } from '../treasury/ledger/table.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { JournalCopy } from './copy.ts';
import type { SignerEnv } from './env.ts';
import { Journal } from './journal/journal.ts';
import type { EntryName } from './journal/moved.ts';
import { Volumes } from './journal/volumes.ts';
import type { worldRefusal } from './journal/world.ts';
import { Restored } from './restored.ts';
import { alone, turns } from './turns.ts';
import { wire } from './wiring.ts';

export class VaultParts extends DurableObject<SignerEnv> {
	protected readonly journal = new Journal(this.ctx.storage);
	protected readonly mark = new Restored(this.ctx.storage);
	protected readonly copy = new JournalCopy(
		this.ctx.storage,
		this.journal,
		this.env.judge === 'cosigner' ? null : this.mark,
	);
	protected readonly inTurn = turns();
	protected readonly volumes = new Volumes(this.ctx.storage, {
		env: this.env,
		closed: () => this.closed(),
		alone: (run) => alone(this.inTurn, run),
	});
	protected readonly wiring = wire(this.env, this.journal, this.mark, (network) => ({
		storage: this.ctx.storage,
		before: () => this.before(network),
		isHeld: () => this.closed() !== null,
	}));

	constructor(ctx: DurableObjectState, env: SignerEnv) {
		super(ctx, env);
		observe(env);
		// Where it throws, the platform makes this object again for the next call.
		ctx.blockConcurrencyWhile(() => this.wiring.keys.derive());
	}

	/** Why nothing is signed now. `world`: may it be signed in this one? */
	protected stopped(world: typeof worldRefusal): SignerRefusal | null {
		return this.closed() ?? this.journal.full() ?? world(this.ctx.storage, this.env);
	}

	/** As `beforeBook`. */
	protected before(network: NetworkName): Promise<Before> {
		const rows = { db: databaseOf(this.env), sealKeys: () => keyRing(this.env, 'SEAL_KEY') };
		return beforeBook({ ...rows, journal: this.journal, restored: this.mark }, network);
	}

	/** @throws TypeError where nothing may be written to the journal now */
	protected writableJournal(): Journal {
		const refusal = this.closed();
		if (refusal) throw new TypeError(refusalText(refusal));
		return this.journal;
	}

	/** As `Volumes.bring`. @throws TypeError where they cannot be brought back */
	protected async brought(names: readonly EntryName[]): Promise<void> {
		const refusal = await this.volumes.bring(names);
		if (refusal) throw new TypeError(refusalText(refusal));
	}

	/** Why nothing may be written to the journal now; null where it may. */
	protected closed(): SignerRefusal | null {
		return this.journal.refusal ?? this.copy.refusal(Date.now());
	}
}

/**
 * The state before a book of coins that the signer finds empty: the addresses of its journal, and where that was lost
 * too, those of the orders whose seals hold. D1 says from where on to read again. That is a claim: where it is too high,
 * coins are missing and payments wait, and where it is too low, reading takes longer.
 */
const PER_PAGE = 1_000;

interface Asked {
	readonly db: Db;
	readonly sealKeys: () => KeyRing;
	readonly journal: Pick<Journal, 'addresses'>;
	readonly restored: Pick<Restored, 'state'>;
}

/** @throws what D1 throws: a book that lacks addresses would not see what they hold */
async function beforeBook(asked: Asked, network: NetworkName): Promise<Before> {
	const { db, restored, journal } = asked;
	const addresses = journal.addresses.all(network);
	const isDoubtful = restored.state() !== null;
	if (addresses.length === 0 && !isDoubtful) return { isAgain: false, from: null, addresses };
	const [mark] = await db.select().from(arrivalMarks).where(eq(arrivalMarks.network, network));
	const older = isDoubtful ? await addressesOfOrders(asked, network) : [];
	return { isAgain: true, from: mark?.readFrom ?? null, addresses: [...addresses, ...older] };
}

async function addressesOfOrders({ db, sealKeys }: Asked, network: NetworkName): Promise<string[]> {
	const addresses: string[] = [];
	for (let after = ''; ; ) {
		const isNext = and(eq(orders.fromNetwork, network), gt(orders.id, after));
		const page = await db.select().from(orders).where(isNext).orderBy(orders.id).limit(PER_PAGE);
		const isSealed = await Promise.all(page.map((order) => orderSealHolds(sealKeys(), order, order.seal)));
		addresses.push(...page.filter((_, at) => isSealed[at]).map(({ payInAddress }) => payInAddress));
		const last = page.at(-1);
		if (!last || page.length < PER_PAGE) return addresses;
		after = last.id;
	}
}
