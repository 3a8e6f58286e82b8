/**
 * Vault: the one Durable Object that signs. This file has the calls that the API Worker may make. Signatures of one
 * network are made one after the other, so that one task chooses nonces and coins.
 *
 * The signer trusts no row of D1 by itself. It checks the seal. Its own node says whether the deposits are final, its
 * own prices what they are worth, its own journal what it signed before, and its own cap what a day may cost.
 */

import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, worldConflicts } from '../chains/configuration.ts';
import { type NetworkCheck, WORLD_CHECK } from '../chains/port.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { observe } from '../metrics/observe.ts';
import type { SealedAddress } from '../orders/seal.ts';
import type {
	BumpOutcome,
	SignerIdentity,
	SignerLimits,
	SignerService,
	SignOutcome,
	StuckTransaction,
	WithdrawalAddress,
} from '../treasury/signer-port.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { paidByHand, withdrawEarnings } from './earnings/sign.ts';
import type { SignerEnv } from './env.ts';
import { Journal } from './journal/journal.ts';
import { enterWorld, worldRefusal } from './journal/world.ts';
import { newAddresses } from './new-addresses.ts';
import { freeLosers } from './payouts/decided.ts';
import { bumpFee } from './payouts/fee-bump.ts';
import { attempt, isRefusal } from './refusal.ts';
import { loadSignables, signOne } from './sign.ts';
import { signerState } from './state.ts';
import { turns } from './turns.ts';
import { dayOf, wire } from './wiring.ts';

export class Vault extends DurableObject<SignerEnv> implements SignerService {
	readonly #journal = new Journal(this.ctx.storage);
	readonly #wiring = wire(this.env, this.#journal);
	readonly #inTurn = turns();

	constructor(ctx: DurableObjectState, env: SignerEnv) {
		super(ctx, env);
		observe(env);
	}

	async newAddresses(network: NetworkName, count: number, above: number): Promise<SealedAddress[]> {
		const refusal = this.#journal.refusal ?? enterWorld(this.ctx.storage, this.env);
		if (refusal) throw new TypeError(refusalText(refusal));
		const [db, sealKeys] = [drizzle(this.env.DB), keyRing(this.env, 'SEAL_KEY')];
		const { addresses } = this.#journal;
		return newAddresses({ ...this.#wiring.wallets(network), db, addresses, sealKeys }, count, above);
	}

	async hotAddress(network: NetworkName): Promise<string> {
		return this.#wiring.keys.on(network).hotAddress();
	}

	async limits(): Promise<SignerLimits> {
		return this.#wiring.caps.limits(dayOf(Date.now()));
	}

	async identify(challenge: string): Promise<SignerIdentity> {
		const identity = await this.#wiring.keys.identify(challenge);
		return { ...identity, state: signerState(this.env, this.#wiring, Date.now()) };
	}

	async withdrawalAddress(network: NetworkName): Promise<WithdrawalAddress> {
		return this.#wiring.withdrawalAddress(network);
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		const { signer, chain } = this.#wiring.wallets(network);
		const nodes = await chain.check();
		const signing = (await signer.check?.()) ?? [];
		const caps = networkMode(this.env, network)?.on === 'nodes' ? [this.#wiring.caps.check()] : [];
		const refusals = [this.#journal.refusal, worldRefusal(this.ctx.storage, this.env)];
		const wrong = refusals.flatMap((refusal) => (refusal ? [refusalText(refusal)] : []));
		const worlds = [...wrong, ...worldConflicts(this.env)];
		return [...nodes, ...signing, ...caps, ...worlds.map((detail) => ({ what: WORLD_CHECK, ok: false, detail }))];
	}

	/** For each id: the transaction that was signed before, or a new one, or why there is none. */
	async sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		return this.#inTurn(network, async () => {
			const refusal = this.#journal.refusal ?? enterWorld(this.ctx.storage, this.env) ?? (await this.#notReady());
			const signables = refusal ? new Map() : await loadSignables(drizzle(this.env.DB), payoutIds);
			if (!refusal) await freeLosers({ ...this.#wiring.wallets(network), versions: this.#journal.versions });
			return inOrder(payoutIds, async (payoutId) => {
				const outcome = await attempt(
					{ what: 'signing', payoutId, network },
					async () => refusal ?? signOne(this.#wiring.signing(network, Date.now()), payoutId, signables.get(payoutId)),
				);
				return isRefusal(outcome) ? { payoutId, refused: outcome } : { payoutId, signed: outcome };
			});
		});
	}

	async bump(network: NetworkName, stuck: readonly StuckTransaction[]): Promise<BumpOutcome[]> {
		return this.#inTurn(network, () =>
			inOrder(stuck, async (transaction) => {
				const { payoutId } = transaction;
				const outcome = await attempt({ what: 'fee_bump', payoutId, network }, async () => {
					const refusal =
						this.#journal.refusal ?? worldRefusal(this.ctx.storage, this.env) ?? this.#wiring.caps.unset();
					return refusal ?? bumpFee(this.#wiring.signing(network, Date.now()), transaction);
				});
				return isRefusal(outcome) ? { payoutId, refused: outcome } : { payoutId, replaced: outcome };
			}),
		);
	}

	async withdrawEarnings(payoutId: string): Promise<boolean> {
		return withdrawEarnings(this.#writableJournal(), payoutId);
	}

	async earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean> {
		return paidByHand(this.#writableJournal(), payoutId, orderIds);
	}

	async giveUp(payoutId: string, orderId: string | null): Promise<boolean> {
		return this.#writableJournal().giveUp(payoutId, orderId, Date.now());
	}

	/** @throws TypeError where a newer version of the signer has worked on the journal */
	#writableJournal(): Journal {
		if (this.#journal.refusal) throw new TypeError(refusalText(this.#journal.refusal));
		return this.#journal;
	}

	/** Why nothing can be signed: the cap is not set, or a key is wrong. Null if it can. */
	async #notReady(): Promise<SignerRefusal | null> {
		return this.#wiring.caps.unset() ?? (await this.#wiring.keys.refusal());
	}
}

async function inOrder<Item, Outcome>(items: readonly Item[], run: (item: Item) => Promise<Outcome>) {
	const outcomes: Outcome[] = [];
	for (const item of items) outcomes.push(await run(item));
	return outcomes;
}
