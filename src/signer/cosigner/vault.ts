/**
 * The co-signer: the same judge with a seed, nodes, prices, caps and a journal of its own. What the signer makes, it
 * approves: the wallets of each network are the same but for `sign`, `replace` and `consolidate`, which take the signer's draft
 * instead of making a transaction. All rules, and what is written, are the signer's own code.
 *
 * Atomic: as with the signer, the last checks and the record are one synchronous turn, and its signature leaves after that. A
 * payment has one transaction: asked again, it answers the bytes that were signed first, and makes another version only where the
 * signer itself may make one, because at most one of the two can be in a block.
 */
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { isCosigned } from '../../chains/judges.ts';
import type { Cosigned, Cosigner, CosignerIdentity, Cosigning, Seen, ShownPayouts } from '../../ports/cosigner.ts';
import type { Signed, StuckTransaction } from '../../ports/signer.ts';
import { refusalText, type SignerRefusal } from '../../treasury/signer-refusal.ts';
import { checksOf, notReady } from '../checks.ts';
import type { SignerEnv } from '../env.ts';
import { giveUp } from '../give-up.ts';
import { setBackRefusal } from '../journal/cosigner-mark.ts';
import { earnedName } from '../journal/earnings.ts';
import { enterWorld, worldRefusal } from '../journal/world.ts';
import { MAX_NEW_ADDRESSES } from '../new-addresses.ts';
import { freeLosers } from '../payouts/decided.ts';
import { bumpFee } from '../payouts/fee-bump.ts';
import { attempt, isRefusal } from '../refusal.ts';
import { addressName, orderNames, signablesOf, signOne } from '../sign.ts';
import { approving, signSwept } from './approving.ts';
import { KeptVault } from './kept-vault.ts';
import { claimsIn, orderIdsIn, sweepIn } from './rows.ts';
import { shownId, takePayout, unknownOf } from './shown.ts';

export class Vault extends KeptVault implements Cosigner {
	constructor(ctx: DurableObjectState, env: SignerEnv) {
		super(ctx, { ...env, judge: 'cosigner' });
	}

	async identify(challenge: string): Promise<CosignerIdentity> {
		const { keys } = this.wiring;
		const judged = NETWORK_NAMES.filter((network) => networkMode(this.env, network) !== null);
		return {
			...(await keys.identify(challenge)),
			networks: judged.map((network) => ({
				network,
				isCosigned: isCosigned(this.env, network),
				hotAddress: keys.on(network).hotAddress(),
				keys: keys.judgeKeys(network),
			})),
		};
	}

	async check(network: NetworkName) {
		const world = worldRefusal(this.ctx.storage, this.env);
		const checks = await checksOf(this.env, this.wiring, named(network), [this.closed(), world]);
		return [...checks, ...this.keptCheck()];
	}

	/** A network that it does not judge needs no watching: nothing is paid for what comes there. */
	async announce(
		network: NetworkName,
		first: number,
		addresses: readonly string[],
		hotAddress: string,
	): Promise<boolean> {
		const refusal = this.closed() ?? enterWorld(this.ctx.storage, this.env);
		if (refusal) throw new TypeError(refusalText(refusal));
		if (networkMode(this.env, named(network))?.on !== 'nodes') return false;
		if (!Array.isArray(addresses) || addresses.length > MAX_NEW_ADDRESSES) throw new RangeError('no such addresses');
		const { signer, chain } = this.wiring.wallets(network);
		const announced = (signer.stating ? [] : addresses).map((_, at) => ({
			index: first + at,
			address: signer.payInAddress(first + at),
		}));
		const hot = { index: -1, address: signer.hotAddress() };
		if (hot.address !== hotAddress || announced.some(({ address }, at) => address !== addresses[at]))
			throw new TypeError(
				`the two judges derive different addresses on ${network}: each must have the other’s keys in OTHER_JUDGE_${network.toUpperCase()}`,
			);
		this.journal.addresses.remember(network, announced);
		await chain.register([...announced, hot]);
		return true;
	}

	async sign(asked: Cosigning): Promise<Cosigned | SignerRefusal> {
		const { payoutId, draft } = asked;
		const network = named(asked.network);
		const signed = await this.inTurn(network, () =>
			attempt({ what: 'signing', payoutId, network }, async () => {
				const refusal = this.stopped(enterWorld) ?? this.#setBack(asked) ?? (await notReady(this.wiring));
				if (refusal) return refusal;
				const wallets = this.wiring.wallets(network);
				const { takenBy } = wallets.signer;
				if (takenBy) await freeLosers({ ...wallets, takenBy, versions: this.journal.versions });
				const swept = wallets.signer.areSweepsShared ? sweepIn(asked) : undefined;
				const found = signablesOf(claimsIn(asked.claims)).get(payoutId);
				const names = swept ? [addressName(network, swept.payInAddress)] : (found?.names ?? []);
				const stopped = await this.volumes.bring([`payout ${payoutId}`, ...names]);
				const signing = approving(this.wiring.signing(network, Date.now()), draft, asked);
				return stopped ?? (swept ? signSwept(signing, swept) : signOne(signing, payoutId, found));
			}),
		);
		this.ctx.waitUntil(this.volumes.move());
		return this.#crossing(signed);
	}

	async takePayouts(shown: ShownPayouts): Promise<readonly string[] | SignerRefusal> {
		const network = named(shown.network);
		return this.inTurn(network, async () => {
			const stopped = this.stopped(worldRefusal) ?? this.#setBack(shown) ?? (await notReady(this.wiring));
			if (stopped) return stopped;
			const orderIds = orderIdsIn(shown);
			const signing = approving(this.wiring.signing(network, Date.now()), '', shown);
			for (const claim of claimsIn(shown.claims).payouts) {
				const payoutId = shownId(claim);
				const names = [`payout ${payoutId}`, earnedName(claim.order.id), ...orderNames(claim.order)] as const;
				const refused = await attempt({ what: 'signing', payoutId, network }, async () => {
					return (await this.volumes.bring(names)) ?? (await takePayout(signing, claim)) ?? {};
				});
				if (isRefusal(refused)) return refused;
			}
			return (await this.volumes.bring(orderIds.map(earnedName))) ?? unknownOf(signing, orderIds);
		});
	}

	async bump(network: NetworkName, stuck: StuckTransaction & Seen, draft: string): Promise<Cosigned | SignerRefusal> {
		const { payoutId } = stuck;
		const signed = await this.inTurn(named(network), () =>
			attempt({ what: 'fee_bump', payoutId, network }, async () => {
				const stopped = this.stopped(worldRefusal) ?? this.#setBack(stuck) ?? this.wiring.caps.unset();
				const refusal = stopped ?? (await this.volumes.bring([`payout ${payoutId}`]));
				return refusal ?? bumpFee(approving(this.wiring.signing(network, Date.now()), draft, null), stuck);
			}),
		);
		return this.#crossing(signed);
	}

	async giveUp(payoutId: string, orderId: string | null, seen: Seen['seen']): Promise<SignerRefusal | null> {
		return (
			this.#setBack({ seen }) ??
			giveUp({ volumes: this.volumes, journal: () => this.writableJournal() }, payoutId, orderId)
		);
	}

	/** It has no rows to read from: what is not in its journal was never announced. */
	protected override async before(network: NetworkName) {
		return { isAgain: false, from: null, addresses: this.journal.addresses.all(network) };
	}

	/** Only what JSON has: the signer counts for itself what arrives. */
	#crossing(signed: Signed | SignerRefusal): Cosigned | SignerRefusal {
		if (isRefusal(signed)) return signed;
		return { raw: signed.raw, txId: signed.txId, journal: this.journal.entries.mark() };
	}

	#setBack({ seen }: Seen): SignerRefusal | null {
		return setBackRefusal(this.journal.entries.mark(), seen);
	}
}

/** @throws TypeError where nobody has a network of that name */
function named(network: string): NetworkName {
	const found = NETWORK_NAMES.find((name) => name === network);
	if (!found) throw new TypeError('no such network');
	return found;
}
